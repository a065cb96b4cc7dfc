import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData, useNavigation } from "@remix-run/react";
import { Trash2 } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { Pager } from "~/features/catalogue/pager";
import { requirePermission } from "~/features/permissions/guard.server";
import { ownVideosOf } from "~/features/permissions/permissions";
import { AdminPage } from "~/features/site/admin-navigation";
import {
  readTrashView,
  TRASH_DAYS,
  type TrashView,
  trashHref,
} from "~/features/trash/trash-address";
import type { Failure } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { redirectWithToast } from "~/platform/toast.server";
import { formatQuantity } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { SearchForm } from "~/ui/forms/search-form";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { queryThread } from "~db/threads/query-thread.server";
import { type PurgeConfirmation, performTrash } from "../trash/trash-action.server";
import { EmptyDialog, PurgeDialog, ReplacedFileList, TrashList } from "../trash/trash-list";
import type { TrashPage } from "../trash/trash-list.server";

export const meta = privateMeta("Trash");

interface ActionData {
  error?: Failure;
  confirmation?: PurgeConfirmation;
}

export async function loader({ request }: LoaderFunctionArgs) {
  const user = await requirePermission(request, "/admin/trash");
  const own = ownVideosOf(user, "/admin/trash");
  const parameters = new URL(request.url).searchParams;
  const view = readTrashView(parameters);
  const trash = await queryThread<TrashPage>("studio", "trash", { ...view, own });
  const isEmptying = parameters.has("empty") && !isEmpty(trash);
  return { view: { ...view, page: trash.page }, trash, isEmptying, now: Date.now() };
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/trash");
  requireOwnOrigin(request);
  const view = readTrashView(new URL(request.url).searchParams);
  const result = await performTrash(request, user.id, ownVideosOf(user, "/admin/trash"));
  if ("status" in result) return data<ActionData>({ error: result }, { status: result.status });
  if ("confirmation" in result) return data<ActionData>(result);
  throw redirectWithToast(trashHref(view), result);
}

function isEmpty({ total, totalFiles }: TrashPage): boolean {
  return total.videos === 0 && totalFiles.files === 0;
}

export default function Trash() {
  useLiveRefresh({ jobs: true });
  const { view, trash, isEmptying, now } = useLoaderData<typeof loader>();
  const { error, confirmation } = useFormResponse<ActionData>() ?? {};
  const busy = String(useNavigation().formData?.get("intent") ?? "") || undefined;
  const here = trashHref(view);
  const { total, totalFiles } = trash;
  const all = view.files
    ? { count: totalFiles.files, noun: "earlier file", bytes: totalFiles.bytes }
    : { count: total.videos, noun: "video", bytes: total.bytes };
  return (
    <AdminPage
      title="Trash"
      lead={`Deleted videos and replaced files stay here for ${TRASH_DAYS} days.`}
      error={error}
    >
      {confirmation && (
        <PurgeDialog confirmation={confirmation} list={here} busy={busy === "purge"} />
      )}
      {isEmptying && (
        <EmptyDialog
          total={total}
          totalFiles={totalFiles}
          until={new Date(now).toISOString()}
          list={here}
          busy={busy === "empty"}
        />
      )}
      {(totalFiles.files > 0 || view.files) && <TrashTabs view={view} trash={trash} />}
      {isEmpty(trash) ? (
        <EmptyState icon={<Trash2 />} title="The trash is empty." />
      ) : (
        <>
          <div className="flex flex-wrap items-end justify-between gap-3">
            <SearchForm action="/admin/trash" label="Search trash" search={view.search}>
              {view.files && <input type="hidden" name="show" value="files" />}
            </SearchForm>
            <ButtonLink to={trashHref(view, true)} preventScrollReset variant="danger">
              Empty trash
            </ButtonLink>
          </div>
          <p className="text-sm text-muted figures">
            {view.search
              ? `${trash.found.toLocaleString("en")} of ${formatQuantity(all.count, all.noun)}`
              : `${formatQuantity(all.count, all.noun)}, ${formatStorage(all.bytes)}`}
          </p>
          {trash.found === 0 ? (
            <EmptyState
              icon={<Trash2 />}
              title={nothingFound(view)}
              action={
                view.search && (
                  <ButtonLink to="/admin/trash">Show everything in the trash</ButtonLink>
                )
              }
            />
          ) : view.files ? (
            <ReplacedFileList files={trash.files} action={here} now={now} />
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
    </AdminPage>
  );
}

/** The tabs for deleted videos and replaced files. */
function TrashTabs({ view, trash }: { view: TrashView; trash: TrashPage }) {
  const tabs = [
    { files: undefined, label: `Videos (${trash.total.videos.toLocaleString("en")})` },
    { files: true, label: `Earlier files (${trash.totalFiles.files.toLocaleString("en")})` },
  ] as const;
  return (
    <nav aria-label="Trash" className="flex gap-1 border-b border-line">
      {tabs.map(({ files, label }) => (
        <Link
          key={label}
          to={trashHref({ ...(files && { files }), search: "", page: 1 })}
          preventScrollReset
          aria-current={files === view.files ? "page" : undefined}
          className="-mb-px inline-flex min-h-11 items-center border-b-2 border-transparent px-2 font-medium text-muted figures hover:text-ink aria-[current]:border-accent aria-[current]:text-ink xs:px-4"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

function nothingFound({ files, search }: TrashView): string {
  if (search) return files ? "No earlier files found." : "No videos found.";
  return files ? "No earlier files." : "No deleted videos.";
}
