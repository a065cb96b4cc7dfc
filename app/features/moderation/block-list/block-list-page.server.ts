import { failedComparisons } from "~/features/processing/comparison/compared.server";
import { importDigestList } from "~/features/processing/comparison/digest-list.server";
import { compareSite } from "~/features/processing/comparison/likeness.server";
import {
  importBlockList,
  isBlockListFile,
  ListFileError,
  MOST_LIST_BYTES,
} from "~/features/processing/comparison/list-file.server";
import { type ReceivedForm, receiveMultipart } from "~/media/intake/multipart.server";
import {
  discardReceived,
  type FileRule,
  type ReceivedFile,
} from "~/media/intake/received-file.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { type Failure, failure } from "~/platform/failure";
import { formatQuantity } from "~/shared/format";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { transaction } from "~db/client.server";
import { BLOCK_REASONS, type BlockReason } from "~db/schema/moderation";
import { queryThread } from "~db/threads/query-thread.server";
import { type ScannedVideo, undecidedScans } from "../scan/scans.server";
import {
  type EntriesPage,
  type ListedEntry,
  readEntries,
  readEntry,
  readRemovedEntries,
} from "./entries.server";
import { MATCHES_SHOWN, type Match } from "./matches.server";

const MAX_NAME_LENGTH = 200;

export interface BlockListPage extends EntriesPage {
  removed: ListedEntry[];
  matches: Match[];
  /** Videos that are held because they could not be compared, and why. */
  uncompared: { id: string; title: string; why: string }[];
  /** Videos with findings of the scan that nobody has decided about. */
  scanned: ScannedVideo[];
  /** The entry whose removal is to be confirmed. */
  confirmation?: ListedEntry;
}

/** A page of the list, the most recently blocked first. */
export async function readBlockListPage(
  before: number | undefined,
  toRemove?: number | undefined,
): Promise<BlockListPage> {
  const matches = await queryThread<Match[]>("studio", "block-list-matches", {});
  const confirmation = toRemove === undefined ? undefined : readEntry(toRemove);
  return {
    ...readEntries(before),
    removed: readRemovedEntries(),
    matches,
    uncompared: failedComparisons(MATCHES_SHOWN),
    scanned: undecidedScans(MATCHES_SHOWN),
    ...(confirmation && { confirmation }),
  };
}

const RULE: FileRule = {
  maxBytes: MOST_LIST_BYTES,
  tooLarge: "A block list can have at most 512 MB.",
  checkHead: async () => {},
};

/** Receives the forms of the page, the one with a file among them. The files are discarded by the caller. */
export function receiveBlockListForm(request: Request): Promise<ReceivedForm> {
  return receiveMultipart(request, { list: RULE });
}

/**
 * Adds the films or digests of a file to the list, and begins to look for the films among the videos of the site.
 * Somebody else's list hides nothing.
 */
export async function importList(
  form: ReceivedForm,
  userId: string,
): Promise<Failure | ToastMessage> {
  const file = form.files.get("list");
  const refuse = (detail: string, status: Failure["status"] = 422) =>
    failure(status, "The list was not imported.", { detail });
  try {
    if (form.error) return refuse(form.error.message, form.error.status as Failure["status"]);
    if (!file) return refuse("Choose a file.");
    if (await isBlockListFile(file.path)) return await importFilms(file.path, userId);
    const reason = BLOCK_REASONS.find((each) => each === (form.fields.get("reason") ?? "other"));
    if (!reason) return refuse("Choose a reason.", 400);
    return await importDigests(file, reason, userId);
  } catch (error) {
    if (!(error instanceof ListFileError)) throw error;
    return refuse(error.message);
  } finally {
    await discardReceived(...form.files.values());
  }
}

async function importFilms(file: string, userId: string): Promise<ToastMessage> {
  const { added, known, from } = await importBlockList(file);
  const films = formatQuantity(added, "new video");
  await recordImport({ added, known }, `${films}, ${known} known`, userId);
  if (added > 0) compareSite(from, false).catch(console.error);
  return done(
    `${formatQuantity(added, "video")} added, ${known} already on the list. Matching videos of this site are listed below as they are found.`,
  );
}

async function importDigests(
  file: ReceivedFile,
  reason: BlockReason,
  userId: string,
): Promise<ToastMessage> {
  const name = file.name.replaceAll(/\p{Cc}/gu, "").slice(0, MAX_NAME_LENGTH) || "Unnamed list";
  const { added, known } = await importDigestList(file.path, { name, reason });
  const digests = formatQuantity(added, "new digest");
  await recordImport({ added, known }, `${name}: ${digests}, ${known} known`, userId);
  const duplicates = known > 0 ? ` ${formatQuantity(known, "duplicate")} skipped.` : "";
  return done(
    `${formatQuantity(added, "digest")} added.${duplicates} Videos of this site with the same file are listed below.`,
  );
}

function recordImport(
  counts: { added: number; known: number },
  detail: string,
  userId: string,
): Promise<void> {
  return transaction(() => {
    appendToLog({ action: "block-list-import", userId, detail: counts });
    recordActivity({ userId, action: "block-import", detail });
  });
}

const done = (description: string): ToastMessage => ({
  title: "Block List",
  description,
  kind: "success",
});
