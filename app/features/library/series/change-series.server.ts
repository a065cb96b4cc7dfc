import { type ActivityEntry, recordActivity } from "~/platform/activity/activity.server";
import { type Failure, failure } from "~/platform/failure";
import { formatQuantity } from "~/shared/format";
import { freeSlug } from "~/shared/series/slug";
import { PUBLIC_CHANGE } from "~db/catalogue-version";
import { prepared, transaction } from "~db/client.server";
import type { SeriesVisibility } from "~db/schema/catalogue";
import { existingIds } from "../bulk/bulk.server";
import { MAX_SERIES_VIDEOS } from "./series-address";
import {
  editedSeries,
  namedSeries,
  noSeries,
  orderOf,
  restorableSince,
} from "./series-list.server";

const FAILED = "The series was not changed.";
const GONE = failure(404, FAILED, {
  detail: "This series no longer exists. Somebody may have deleted it in the meantime.",
});
const CHANGED = failure(409, FAILED, {
  detail: "The series has changed since you opened it. Look at it as it is now, then change it.",
});

/** What a series is called, and who sees it. */
export interface SeriesTexts {
  title: string;
  /** Empty for one made of the title. */
  slug: string;
  description: string;
  visibility: SeriesVisibility;
  /** Shown as a row on home, instead of any other. */
  isFeatured: boolean;
}

/** A form that was rejected, with what was typed. */
export interface SeriesFailure extends Failure {
  typed?: SeriesTexts;
  /** What the form is compared with when it is sent again. */
  version?: string;
  fields?: Partial<Record<"title" | "slug" | "description", string>>;
}

/** What was done: the series, and the version that its order has by it, if it was changed. */
interface Done {
  id: number;
  title: string;
  version?: number;
}

/**
 * Makes a series without videos. Its slug is the first of its kind that no series has or had.
 *
 * @param slug what the address is to end in.
 * @returns a failure of status 422 when there is a series of this title.
 */
export function createSeries(title: string, slug: string, userId: string) {
  return change(userId, (): Outcome => {
    const taken = titleTaken(title);
    if (taken) return { ...failure(422, FAILED, { detail: taken }), fields: { title: taken } };
    const own = freeSlug(slug, (each) => ownerOf(each) !== undefined);
    const { lastInsertRowid } = prepared("INSERT INTO series (title, slug) VALUES (?, ?)").run(
      title,
      own,
    );
    const id = Number(lastInsertRowid);
    prepared("INSERT INTO series_slugs (slug, series_id) VALUES (?, ?)").run(own, id);
    return { id, title, action: "series-create", detail: title };
  });
}

/**
 * Changes what a series is called, who sees it, and whether home shows it.
 *
 * @param version `textsVersion` of the form.
 * @returns a failure: 404 for a series that is gone, 409 when it has changed since, 422 for a title or
 *   an address that another one has.
 */
export function editSeries(id: number, version: string, texts: SeriesTexts, userId: string) {
  return change(userId, (): Outcome => {
    const series = editedSeries(id);
    if (!series) return GONE;
    if (series.textsVersion !== version) {
      return { ...CHANGED, typed: texts, version: series.textsVersion };
    }
    const fields = wrongFields(id, texts);
    const [detail] = Object.values(fields);
    if (detail) return { ...failure(422, FAILED, { detail }), typed: texts, version, fields };
    const isTaken = (slug: string) => ![undefined, id].includes(ownerOf(slug));
    const slug = texts.slug || freeSlug("", isTaken);
    prepared(
      `UPDATE series SET title = @title, slug = @slug, description = @description,
         visibility = @visibility WHERE id = @id`,
    ).run({ ...texts, isFeatured: undefined, slug, id });
    prepared("INSERT OR IGNORE INTO series_slugs (slug, series_id) VALUES (?, ?)").run(slug, id);
    setFeatured(id, texts.isFeatured);
    touch(id);
    return { id, title: texts.title, action: "series-edit", detail: texts.title };
  });
}

/** Puts a series into the trash of series, and forgets those that are there for too long. */
export function deleteSeries(id: number, userId: string, now = Date.now()) {
  return change(userId, (): Outcome => {
    const series = editedSeries(id);
    if (!series) return GONE;
    setFeatured(id, false);
    prepared("UPDATE series SET deleted_at = ? WHERE id = ?").run(new Date(now).toISOString(), id);
    touch(id);
    prepared("DELETE FROM series WHERE deleted_at <= ?").run(restorableSince(now));
    return { id, title: series.title, action: "series-delete", detail: series.title };
  });
}

/**
 * Restores a deleted series with its videos and addresses.
 *
 * @returns a failure: 404 for one that is not in the trash, 409 when another has its title now.
 */
export function restoreSeries(id: number, userId: string) {
  return change(userId, (): Outcome => {
    const title = prepared<string>(
      "SELECT title FROM series WHERE id = ? AND deleted_at IS NOT NULL",
    )
      .pluck()
      .get(id);
    if (title === undefined) {
      const detail = "It was restored before, or deleted more than 30 days ago.";
      return failure(404, "This series can't be restored.", { detail });
    }
    const taken = titleTaken(title);
    if (taken) {
      const detail = `${taken} Rename that one first.`;
      return failure(409, "This series can't be restored.", { detail });
    }
    prepared("UPDATE series SET deleted_at = NULL WHERE id = ?").run(id);
    touch(id);
    return { id, title, action: "series-restore", detail: title };
  });
}

/**
 * Moves a video within a series.
 *
 * @param to the new number, counted from 1; beyond an end it is that end.
 * @param version of the page that was looked at.
 */
export function moveInSeries(
  id: number,
  version: number,
  videoId: string,
  to: number | "up" | "down",
  userId: string,
) {
  return change(userId, (): Outcome => {
    const series = editedSeries(id);
    if (!series) return GONE;
    if (series.version !== version) return CHANGED;
    const order = orderOf(id);
    const from = order.indexOf(videoId);
    if (from === -1) return CHANGED;
    const asked = to === "up" ? from - 1 : to === "down" ? from + 1 : to - 1;
    const at = Math.max(0, Math.min(asked, order.length - 1));
    order.splice(at, 0, ...order.splice(from, 1));
    const { title } = series;
    return {
      id,
      title,
      version: writeOrder(id, order),
      action: "series-order",
      detail: title,
    };
  });
}

/**
 * Puts videos at the end of a series, in their order.
 *
 * @returns those that were not in it, or a failure: 404 for a series that is gone, 422 when it would
 *   have too many.
 */
export async function addToSeries(id: number, videoIds: readonly string[], userId: string) {
  let added: string[] = [];
  const done = await change(userId, (): Outcome => {
    const series = editedSeries(id);
    if (!series) return GONE;
    const order = orderOf(id);
    const present = new Set(order);
    const known = new Set(existingIds(videoIds));
    added = [...new Set(videoIds)].filter((each) => known.has(each) && !present.has(each));
    if (order.length + added.length > MAX_SERIES_VIDEOS) {
      const most = MAX_SERIES_VIDEOS.toLocaleString("en");
      return failure(422, FAILED, { detail: `A series has at most ${most} videos.` });
    }
    if (added.length === 0) return { id, title: series.title };
    writeOrder(id, [...order, ...added]);
    const detail = `put ${formatQuantity(added.length, "video")} into the series “${series.title}”`;
    return { id, title: series.title, action: "series-videos", detail };
  });
  return "status" in done ? done : { ...done, changed: added };
}

/** Takes videos out of a series; returns those that were in it, or a failure of status 404. */
export async function removeFromSeries(id: number, videoIds: readonly string[], userId: string) {
  let removed: string[] = [];
  const done = await change(userId, (): Outcome => {
    const series = editedSeries(id);
    if (!series) return GONE;
    const order = orderOf(id);
    const asked = new Set(videoIds);
    removed = order.filter((each) => asked.has(each));
    if (removed.length === 0) return { id, title: series.title };
    const left = order.filter((each) => !asked.has(each));
    const version = writeOrder(id, left);
    const videos = formatQuantity(removed.length, "video");
    const detail = `took ${videos} out of the series “${series.title}”`;
    return { id, title: series.title, version, action: "series-videos", detail };
  });
  return "status" in done ? done : { ...done, changed: removed };
}

/** A failure, or what was done with the entry of the record; without an action nothing was. */
type Outcome = SeriesFailure | (Done & Partial<Pick<ActivityEntry, "action" | "detail">>);

/** One transaction with its record, after which open pages and cached ones are told. */
async function change(userId: string, work: () => Outcome): Promise<SeriesFailure | Done> {
  return transaction(() => {
    const outcome = work();
    if ("status" in outcome || !outcome.action) return outcome;
    const { action, detail, ...done } = outcome;
    recordActivity({ userId, action, detail });
    prepared("UPDATE catalogue_version SET catalogue = catalogue + ?").run(PUBLIC_CHANGE);
    return done;
  });
}

function wrongFields(id: number, { title, slug }: SeriesTexts): SeriesFailure["fields"] & object {
  const taken = titleTaken(title, id);
  const owner = slug === "" ? undefined : ownerOf(slug);
  return {
    ...(taken && { title: taken }),
    ...(owner !== undefined &&
      owner !== id && { slug: "Another series has this address, or had it." }),
  };
}

function titleTaken(title: string, id = 0): string | undefined {
  const other = prepared(
    "SELECT 1 FROM series WHERE title = ? COLLATE NOCASE AND deleted_at IS NULL AND id <> ?",
  ).get(title, id);
  return other ? `There is a series “${title}” already.` : undefined;
}

function ownerOf(slug: string): number | undefined {
  return prepared<number>("SELECT series_id FROM series_slugs WHERE slug = ?").pluck().get(slug);
}

function setFeatured(id: number, isFeatured: boolean): void {
  prepared("DELETE FROM featured_series WHERE series_id = ? OR ?").run(id, Number(isFeatured));
  if (isFeatured) prepared("INSERT INTO featured_series (id, series_id) VALUES (1, ?)").run(id);
}

/** Writes the positions that are others, and forgets videos that are in the order no more; the version by that. */
function writeOrder(id: number, order: readonly string[]): number {
  const ids = JSON.stringify(order);
  prepared(
    `DELETE FROM series_videos WHERE series_id = ?
       AND video_id NOT IN (SELECT value FROM json_each(?))`,
  ).run(id, ids);
  prepared(
    `INSERT INTO series_videos (series_id, video_id, position)
     SELECT ?, value, key FROM json_each(?) WHERE true
     ON CONFLICT DO UPDATE SET position = excluded.position WHERE position <> excluded.position`,
  ).run(id, ids);
  return touch(id);
}

function touch(id: number): number {
  return prepared<number>(
    "UPDATE series SET version = version + 1, updated_at = ? WHERE id = ? RETURNING version",
  )
    .pluck()
    .get(new Date().toISOString(), id)!;
}

/** What the edit form of a video says of its series. */
interface SeriesEdit {
  /** The id of the one it is put into. */
  add?: number;
  /** The ids of those it is taken out of. */
  leave: number[];
}

/** The fields `addToSeries`, a title, and `leaveSeries.{id}`; a sentence when there is no such series. */
export function readSeriesEdit(fields: FormData): SeriesEdit | string {
  const name = String(fields.get("addToSeries") ?? "").trim();
  const leave = [...fields.keys()].flatMap((field) => {
    const id = /^leaveSeries\.(\d{1,15})$/.exec(field)?.[1];
    return id ? [Number(id)] : [];
  });
  if (name === "") return { leave };
  const series = namedSeries(name);
  return series ? { add: series.id, leave } : noSeries(name);
}

/** Puts a video into a series and takes it out of others; returns the failure when one can't be changed. */
export async function editSeriesOf(
  videoId: string,
  { add, leave }: SeriesEdit,
  userId: string,
): Promise<Failure | undefined> {
  // One that is gone has no videos any more.
  for (const id of leave) await removeFromSeries(id, [videoId], userId);
  const added = add === undefined ? undefined : await addToSeries(add, [videoId], userId);
  return added && "status" in added ? added : undefined;
}
