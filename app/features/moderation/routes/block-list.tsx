import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, useNavigation } from "@remix-run/react";
import { ShieldBan } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { allows } from "~/features/permissions/permissions";
import { usePermissions } from "~/features/permissions/use-permissions";
import { AdminPage } from "~/features/site/admin-navigation";
import { discardReceived } from "~/media/intake/received-file.server";
import { unlessBusy } from "~/platform/busy.server";
import type { Failure } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { respondToForm } from "~/platform/toast.server";
import { formatQuantity } from "~/shared/format";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { useFormResponse } from "~/ui/forms/use-form-response";
import {
  importList,
  readBlockListPage,
  receiveBlockListForm,
  removeFromList,
  restoreToList,
} from "../block-list/block-list-page.server";
import {
  BlockedVideos,
  FailedComparisons,
  ImportExport,
  Matches,
  RemoveDialog,
  RemovedEntries,
} from "../block-list/block-list-panels";
import { BLOCK_LIST } from "../block-list/entry-name";
import { SafetyLinks } from "../reports/safety-links";
import { UndecidedScans } from "../scan/scan-panel";

export const meta = privateMeta("Block list");

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, BLOCK_LIST);
  const params = new URL(request.url).searchParams;
  const before = toId(params.get("before"));
  return { ...(await readBlockListPage(before, toId(params.get("remove")))), before };
}

function toId(text: string | null): number | undefined {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, BLOCK_LIST);
  requireOwnOrigin(request);
  if (!allows(user, "/admin/block-list import")) throw await refusalOf(request);
  return respondToForm(BLOCK_LIST, await unlessBusy(perform(request, user.id)));
}

/** Handles a form. `intent` is `import`, with the file in `list`, or `remove` or `put-back`, for an `entry`. */
async function perform(request: Request, userId: string): Promise<Failure | ToastMessage> {
  if (isMultipart(request)) {
    const form = await receiveBlockListForm(request);
    if (form.fields.get("intent") === "import") return importList(form, userId);
    await discardReceived(...form.files.values());
    throw badRequest();
  }
  const form = await readSmallForm(request);
  const entry = Number(form.get("entry"));
  const intent = form.get("intent");
  if (intent === "remove") return removeFromList(entry, userId);
  if (intent === "put-back") return restoreToList(entry, userId);
  throw badRequest();
}

const INTENTS: readonly unknown[] = ["import", "remove", "put-back"];
const isMultipart = (request: Request) =>
  request.headers.get("Content-Type")?.startsWith("multipart/") ?? false;
const badRequest = () => new Response(null, { status: 400, statusText: "Bad Request" });

/** Returns the response for a user who isn't allowed to change the list. An attached file isn't received. */
async function refusalOf(request: Request): Promise<Response> {
  if (!isMultipart(request) && !INTENTS.includes((await readSmallForm(request)).get("intent")))
    return badRequest();
  return new Response(null, { status: 403, statusText: "Forbidden" });
}

export default function BlockList() {
  const { entries, total, removed, matches, uncompared, scanned, confirmation, before, next } =
    useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: Failure }>()?.error;
  const mayChange = usePermissions()("/admin/block-list import");
  const busy = useNavigation().formData?.get("intent");
  const here = before === undefined ? BLOCK_LIST : `${BLOCK_LIST}?before=${before}`;
  return (
    <AdminPage
      title="Block list"
      lead={`${total === 0 ? "Videos" : formatQuantity(total, "video")} that can’t be uploaded again.`}
      error={error}
    >
      <SafetyLinks />
      {confirmation && mayChange && (
        <RemoveDialog entry={confirmation} here={here} busy={busy === "remove"} />
      )}
      <UndecidedScans scanned={scanned} />
      <Matches matches={matches} />
      <FailedComparisons uncompared={uncompared} />
      {entries.length === 0 ? (
        <EmptyState icon={<ShieldBan />} title="No blocked videos yet.">
          A video is added when a moderator removes it because of a report.
        </EmptyState>
      ) : (
        <BlockedVideos entries={entries} here={here} mayRemove={mayChange} />
      )}
      {next !== undefined && (
        <div>
          <ButtonLink to={`${BLOCK_LIST}?before=${next}`} variant="secondary">
            Earlier entries
          </ButtonLink>
        </div>
      )}
      <RemovedEntries removed={removed} mayPutBack={mayChange} />
      {mayChange && <ImportExport busy={busy === "import"} />}
    </AdminPage>
  );
}
