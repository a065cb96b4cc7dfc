import { recordActivity } from "~/account/activity.server";
import { compareSite } from "~/media/block-list/films-of-site.server";
import {
  importBlockList,
  ListFileError,
  MOST_LIST_BYTES,
} from "~/media/block-list/list-file.server";
import { type ReceivedForm, receiveMultipart } from "~/media/intake/multipart.server";
import { discardReceived, type FileRule } from "~/media/intake/received-file.server";
import { formatQuantity } from "~/shared/format";
import { failedComparisons } from "~/trust/compared.server";
import { appendToLog } from "~/trust/moderation-log.server";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { database, prepared } from "~db/client.server";
import { failure, type StudioFailure } from "../failure";
import {
  type EntriesPage,
  type ListedEntry,
  readEntries,
  readEntry,
  readRemovedEntries,
} from "./entries.server";

const MATCHES_SHOWN = 50;

/** A video of the site that has the bytes of a film of the list, or looks like one. */
interface Match {
  id: string;
  title: string;
  isSame: boolean;
}

export interface BlockListPage extends EntriesPage {
  removed: ListedEntry[];
  matches: Match[];
  /** Videos that are held because they could not be compared, and why. */
  uncompared: { id: string; title: string; why: string }[];
  /** The entry whose removal is to be confirmed. */
  confirmation?: ListedEntry;
}

/** A page of the list, the most recently blocked first. */
export function readBlockListPage(
  before: number | undefined,
  toRemove?: number | undefined,
): BlockListPage {
  const confirmation = toRemove === undefined ? undefined : readEntry(toRemove);
  return {
    ...readEntries(before),
    removed: readRemovedEntries(),
    matches: readMatches(),
    uncompared: failedComparisons(MATCHES_SHOWN),
    ...(confirmation && { confirmation }),
  };
}

function readMatches(): Match[] {
  const rows = prepared(
    `SELECT videos.id, title, max(isSame) AS isSame FROM (
       SELECT video_digests.video_id, 1 AS isSame FROM blocked_files
         JOIN blocked_films ON blocked_films.id = film_id JOIN video_digests USING (sha256)
       WHERE removed_at IS NULL
       UNION ALL
       SELECT video_id, 0 FROM blocked_likenesses WHERE dismissed_at IS NULL
     ) JOIN videos ON videos.id = video_id GROUP BY videos.id ORDER BY sort_key DESC LIMIT ${MATCHES_SHOWN}`,
  ).all() as (Omit<Match, "isSame"> & { isSame: number })[];
  return rows.map((row) => ({ ...row, isSame: row.isSame === 1 }));
}

const RULE: FileRule = {
  maxBytes: MOST_LIST_BYTES,
  tooLarge: "A block list has 512 MB at most.",
  checkHead: async () => {},
};

/** Receives the forms of the page, the one with a file among them. The files are discarded by the caller. */
export function receiveBlockListForm(request: Request): Promise<ReceivedForm> {
  return receiveMultipart(request, { list: RULE });
}

/** Adds the films of a file to the list, and begins to look for them among the videos of the site. */
export async function importList(
  form: ReceivedForm,
  userId: string,
): Promise<StudioFailure | ToastMessage> {
  const file = form.files.get("list");
  const refuse = (detail: string, status: StudioFailure["status"] = 422) =>
    failure(status, "The list was not imported.", { detail });
  try {
    if (form.error) return refuse(form.error.message, form.error.status as StudioFailure["status"]);
    if (!file) return refuse("Choose a file.");
    const { added, known, from } = await importBlockList(file.path);
    const detail = `${formatQuantity(added, "new film")}, ${known} known`;
    await database()
      .transaction()
      .execute(async (transaction) => {
        appendToLog({ action: "block-list-import", userId, detail: { added, known } });
        await recordActivity({ userId, action: "block-import", detail }, transaction);
      });
    // Somebody else's list hides nothing by itself.
    if (added > 0) compareSite(from, false).catch(console.error);
    return done(
      `${formatQuantity(added, "film")} of the file ${added === 1 ? "is" : "are"} new, ${known} ${known === 1 ? "was" : "were"} on the list before. Videos of this site that match are named below as they are found.`,
    );
  } catch (error) {
    if (!(error instanceof ListFileError)) throw error;
    return refuse(error.message);
  } finally {
    await discardReceived(...form.files.values());
  }
}

const done = (description: string): ToastMessage => ({
  title: "Block List",
  description,
  kind: "success",
});
