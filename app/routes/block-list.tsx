import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, useNavigation } from "@remix-run/react";
import { ShieldBan } from "lucide-react";
import { requirePermission } from "~/account/guard.server";
import { allows } from "~/account/permissions";
import { privateMeta } from "~/catalogue/meta/private-meta";
import { discardReceived } from "~/media/intake/received-file.server";
import { unlessBusy } from "~/server/busy.server";
import { requireOwnOrigin } from "~/server/origin.server";
import { readSmallForm } from "~/server/small-form.server";
import { redirectWithToast } from "~/server/toast.server";
import { formatQuantity } from "~/shared/format";
import { AdminLinks } from "~/studio/admin-navigation";
import {
  importList,
  readBlockListPage,
  receiveBlockListForm,
  removeFromList,
} from "~/studio/block-list/block-list-page.server";
import { BlockedFilms, Exchange, Matches, Uncompared } from "~/studio/block-list/block-list-panels";
import type { StudioFailure } from "~/studio/failure";
import { AnswerFailure } from "~/studio/failure-notice";
import { SafetyLinks } from "~/studio/reports/safety-links";
import { usePermissions } from "~/studio/use-permissions";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useFormResponse } from "~/ui/forms/use-form-response";

export const meta = privateMeta("Block list");

const ADDRESS = "/admin/block-list";

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, ADDRESS);
  const before = Number(new URL(request.url).searchParams.get("before"));
  return readBlockListPage(Number.isSafeInteger(before) && before > 0 ? before : undefined);
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, ADDRESS);
  requireOwnOrigin(request);
  if (!allows(user, "/admin/block-list import")) throw await refusalOf(request);
  const form = await receiveBlockListForm(request);
  const intent = form.fields.get("intent");
  if (!isChange(intent)) {
    await discardReceived(...form.files.values());
    throw badRequest();
  }
  const answer = await unlessBusy(
    intent === "import"
      ? importList(form, user.id)
      : removeFromList(Number(form.fields.get("film")), user.id),
  );
  if ("status" in answer) return data({ error: answer }, { status: answer.status });
  throw redirectWithToast(ADDRESS, answer);
}

const isChange = (intent: unknown) => intent === "import" || intent === "remove";
const badRequest = () => new Response(null, { status: 400, statusText: "Bad Request" });

/** Of somebody who may not change the list nothing long is received. */
async function refusalOf(request: Request): Promise<Response> {
  const isLong = request.headers.get("Content-Type")?.startsWith("multipart/");
  if (!isLong && !isChange((await readSmallForm(request)).get("intent"))) return badRequest();
  return new Response(null, { status: 403, statusText: "Forbidden" });
}

export default function BlockList() {
  const { films, total, matches, uncompared, next } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: StudioFailure }>()?.error;
  const mayChange = usePermissions()("/admin/block-list import");
  const busy = useNavigation().formData?.get("intent") === "import";
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h1 className="text-xl font-semibold">Block list</h1>
          <p className="text-sm text-muted">
            {total === 0
              ? "Films that were removed and are not to come back."
              : `${formatQuantity(total, "film")} that may not come back.`}
          </p>
        </div>
        <AdminLinks />
      </header>
      <SafetyLinks />
      <AnswerFailure error={error} />
      <Matches matches={matches} />
      <Uncompared uncompared={uncompared} />
      {films.length === 0 ? (
        <EmptyState icon={<ShieldBan />} title="No film is blocked.">
          A film comes here when a moderator removes it because of a report.
        </EmptyState>
      ) : (
        <BlockedFilms films={films} mayRemove={mayChange} />
      )}
      {next !== undefined && (
        <div>
          <ButtonLink to={`${ADDRESS}?before=${next}`} variant="secondary">
            Earlier films
          </ButtonLink>
        </div>
      )}
      {mayChange && <Exchange busy={busy} />}
    </div>
  );
}
