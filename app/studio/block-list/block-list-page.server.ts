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
import type { BlockReason } from "~db/schema/block-list";
import { failure, type StudioFailure } from "../failure";

const PER_PAGE = 50;
const MATCHES_SHOWN = 50;

/** A film of the list; the time is ISO 8601 UTC. */
export interface ListedFilm {
  id: number;
  reason: BlockReason;
  blockedAt: string;
  state: "waiting" | "ready" | "few" | "none";
  isImported: boolean;
}

/** A video of the site that has the bytes of a film of the list, or looks like one. */
interface Match {
  id: string;
  title: string;
  isSame: boolean;
}

export interface BlockListPage {
  films: ListedFilm[];
  total: number;
  matches: Match[];
  /** Videos that are held because they could not be compared, and why. */
  uncompared: { id: string; title: string; why: string }[];
  /** The number that the next page begins below. */
  next?: number;
}

/** A page of the list, the last that were blocked first. */
export function readBlockListPage(before: number | undefined): BlockListPage {
  const rows = prepared(
    `SELECT id, reason, blocked_at AS blockedAt, state, video_id IS NULL AS isImported
     FROM blocked_films WHERE @before IS NULL OR id < @before ORDER BY id DESC LIMIT ${PER_PAGE + 1}`,
  ).all({ before: before ?? null }) as (Omit<ListedFilm, "isImported"> & { isImported: number })[];
  const films = rows
    .slice(0, PER_PAGE)
    .map((row) => ({ ...row, isImported: row.isImported === 1 }));
  const next = rows.length > PER_PAGE ? films.at(-1)?.id : undefined;
  const total = prepared("SELECT count(*) FROM blocked_films").pluck().get() as number;
  const uncompared = failedComparisons(MATCHES_SHOWN);
  return { films, total, matches: readMatches(), uncompared, ...(next !== undefined && { next }) };
}

function readMatches(): Match[] {
  const rows = prepared(
    `SELECT videos.id, title, max(isSame) AS isSame FROM (
       SELECT video_id, 1 AS isSame FROM blocked_files JOIN video_digests USING (sha256)
       UNION ALL
       SELECT video_id, 0 FROM blocked_likenesses WHERE dismissed_at IS NULL
     ) JOIN videos ON videos.id = video_id GROUP BY videos.id ORDER BY sort_key DESC LIMIT ${MATCHES_SHOWN}`,
  ).all() as (Omit<Match, "isSame"> & { isSame: number })[];
  return rows.map((row) => ({ ...row, isSame: row.isSame === 1 }));
}

/** Takes a film off the list. Videos that are held for it stay so until somebody has looked at them. */
export async function removeFromList(
  id: number,
  userId: string,
): Promise<StudioFailure | ToastMessage> {
  const isRemoved = await database()
    .transaction()
    .execute(async (transaction) => {
      const { changes } = prepared("DELETE FROM blocked_films WHERE id = ?").run(id);
      if (changes === 0) return false;
      appendToLog({ action: "block-list-remove", userId, detail: { film: id } });
      const detail = `film ${id}`;
      await recordActivity({ userId, action: "block-remove", detail }, transaction);
      return true;
    });
  if (!isRemoved)
    return failure(404, "Nothing was removed.", { detail: "The film is no longer on the list." });
  return done("The film may come back to this site.");
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
