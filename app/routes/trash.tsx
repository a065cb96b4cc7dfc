import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { Form, useLoaderData, useNavigation } from "@remix-run/react";
import { Search, Trash2 } from "lucide-react";
import { requirePermission } from "~/account/guard.server";
import { useLiveRefresh } from "~/live/use-live-refresh";
import { requireOwnOrigin } from "~/server/origin.server";
import { redirectWithToast } from "~/server/toast.server";
import { formatQuantity } from "~/shared/format";
import { AdminLinks } from "~/studio/admin-navigation";
import type { StudioFailure } from "~/studio/failure";
import { AnswerFailure } from "~/studio/failure-notice";
import { ownVideosOf } from "~/studio/own-videos";
import { formatStorage } from "~/studio/statistics/storage-text";
import { type PurgeConfirmation, performTrash } from "~/studio/trash/trash-action.server";
import { readTrashView, TRASH_DAYS, type TrashView, trashHref } from "~/studio/trash/trash-address";
import { EmptyDialog, PurgeDialog } from "~/studio/trash/trash-dialogs";
import { TrashList } from "~/studio/trash/trash-list";
import type { TrashPage } from "~/studio/trash/trash-list.server";
import { Button, ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { Field } from "~/ui/forms/field";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { Pager } from "~/ui/lists/pager";
import { queryThread } from "~db/threads/query-thread.server";

export const meta: MetaFunction = () => [
  { title: "Trash" },
  { name: "robots", content: "noindex" },
];

interface Answer {
  error?: StudioFailure;
  confirmation?: PurgeConfirmation;
}

export async function loader({ request }: LoaderFunctionArgs) {
  const user = await requirePermission(request, "/admin/trash");
  const own = ownVideosOf(user, "/admin/trash");
  const parameters = new URL(request.url).searchParams;
  const view = readTrashView(parameters);
  const trash = await queryThread<TrashPage>("studio", "trash", { ...view, own });
  const isEmptying = parameters.has("empty") && trash.total.videos > 0;
  return { view: { ...view, page: trash.page }, trash, isEmptying, now: Date.now() };
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/trash");
  requireOwnOrigin(request);
  const view = readTrashView(new URL(request.url).searchParams);
  const answer = await performTrash(request, user.id, ownVideosOf(user, "/admin/trash"));
  if ("status" in answer) return data<Answer>({ error: answer }, { status: answer.status });
  if ("confirmation" in answer) return data<Answer>(answer);
  throw redirectWithToast(trashHref(view), answer);
}

export default function Trash() {
  useLiveRefresh();
  const { view, trash, isEmptying, now } = useLoaderData<typeof loader>();
  const { error, confirmation } = useFormResponse<Answer>() ?? {};
  const busy = String(useNavigation().formData?.get("intent") ?? "") || undefined;
  const here = trashHref(view);
  const { total } = trash;
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h1 className="text-xl font-semibold">Trash</h1>
          <p className="text-sm text-muted">
            What was deleted is here for {TRASH_DAYS} days, then it goes for good.
          </p>
        </div>
        <AdminLinks />
      </header>
      <AnswerFailure error={error} />
      {confirmation && (
        <PurgeDialog confirmation={confirmation} list={here} busy={busy === "purge"} />
      )}
      {isEmptying && (
        <EmptyDialog
          total={total}
          until={new Date(now).toISOString()}
          list={here}
          busy={busy === "empty"}
        />
      )}
      {total.videos === 0 ? (
        <EmptyState icon={<Trash2 />} title="The trash is empty." />
      ) : (
        <>
          <div className="flex flex-wrap items-end justify-between gap-3">
            <SearchForm view={view} />
            <ButtonLink to={trashHref(view, true)} preventScrollReset variant="danger">
              Empty trash
            </ButtonLink>
          </div>
          <p className="text-sm text-muted figures">
            {view.search
              ? `${trash.found.toLocaleString("en")} of ${formatQuantity(total.videos, "video")}`
              : `${formatQuantity(total.videos, "video")}, ${formatStorage(total.bytes)}`}
          </p>
          {trash.found === 0 ? (
            <EmptyState
              icon={<Trash2 />}
              title="No videos found."
              action={<ButtonLink to="/admin/trash">Show all of the trash</ButtonLink>}
            />
          ) : (
            <TrashList videos={trash.videos} action={here} busy={busy} now={now} />
          )}
          <Pager
            page={trash.page}
            pageCount={trash.pageCount}
            hrefFor={(page) => trashHref({ ...view, page })}
          />
        </>
      )}
    </div>
  );
}

function SearchForm({ view }: { view: TrashView }) {
  return (
    <Form role="search" action="/admin/trash" key={view.search} className="flex items-end gap-2">
      <Field label="Search the trash" type="search" name="search" defaultValue={view.search} />
      <Button variant="secondary" aria-label="Show">
        <Search aria-hidden="true" className="size-4" />
        <span className="max-sm:sr-only">Show</span>
      </Button>
    </Form>
  );
}
