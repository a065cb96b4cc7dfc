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
  findSeries,
  findSeriesByName,
  restorableSince,
  seriesOrder,
  unknownSeriesMessage,
} from "./series-list.server";

const FAILED = "Failed to update the series.";
const GONE = failure(404, FAILED, {
  detail: "This series no longer exists. Someone may have deleted it.",
});
const CHANGED = failure(409, FAILED, {
  detail:
    "The series has changed since you opened it. Check the current version, then make your changes again.",
});

/** The fields of the series form. */
export interface SeriesTexts {
  title: string;
  /** Empty if the slug should be derived from the title. */
  slug: string;
  description: string;
  visibility: SeriesVisibility;
  /** Whether the series is featured on the home page. Only one series can be featured at a time. */
  isFeatured: boolean;
}

/** A rejected form, including the entered values. */
export interface SeriesFailure extends Failure {
  typed?: SeriesTexts;
  /** The version that the form is compared with when it is submitted again. */
  version?: string;
  fields?: Partial<Record<"title" | "slug" | "description", string>>;
}

/** A changed series, and the new version of its order if the order changed. */
interface Done {
  id: number;
  title: string;
  version?: number;
}

/**
 * Creates a series without videos. Appends a number to the slug if another series has or had the same slug.
 *
 * @param slug the preferred last part of the URL.
 * @returns a failure with status 422 if another series has this title.
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
 * Changes a series' text fields and visibility, and whether it is featured.
 *
 * @param version the `textsVersion` that the form was opened with.
 * @returns a failure: 404 if the series doesn't exist, 409 if it has changed since, 422 if another series has the title
 *   or slug.
 */
export function editSeries(id: number, version: string, texts: SeriesTexts, userId: string) {
  return change(userId, (): Outcome => {
    const series = findSeries(id);
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
    bumpVersion(id);
    return { id, title: texts.title, action: "series-edit", detail: texts.title };
  });
}

/** Moves a series to the trash, and purges series that have been in the trash for too long. */
export function deleteSeries(id: number, userId: string, now = Date.now()) {
  return change(userId, (): Outcome => {
    const series = findSeries(id);
    if (!series) return GONE;
    setFeatured(id, false);
    prepared("UPDATE series SET deleted_at = ? WHERE id = ?").run(new Date(now).toISOString(), id);
    bumpVersion(id);
    prepared("DELETE FROM series WHERE deleted_at <= ?").run(restorableSince(now));
    return { id, title: series.title, action: "series-delete", detail: series.title };
  });
}

/**
 * Restores a deleted series with its videos and URLs.
 *
 * @returns a failure: 404 if it isn't in the trash, 409 if another series now has the same title.
 */
export function restoreSeries(id: number, userId: string) {
  return change(userId, (): Outcome => {
    const title = prepared<string>(
      "SELECT title FROM series WHERE id = ? AND deleted_at IS NOT NULL",
    )
      .pluck()
      .get(id);
    if (title === undefined) {
      const detail = "It was already restored, or deleted more than 30 days ago.";
      return failure(404, "This series can't be restored.", { detail });
    }
    const taken = titleTaken(title);
    if (taken) {
      const detail = `${taken} Rename that series first.`;
      return failure(409, "This series can't be restored.", { detail });
    }
    prepared("UPDATE series SET deleted_at = NULL WHERE id = ?").run(id);
    bumpVersion(id);
    return { id, title, action: "series-restore", detail: title };
  });
}

/**
 * Moves a video within a series.
 *
 * @param to the new number, starting from 1 and clamped to the length of the series.
 * @param version the version of the series that the page showed.
 */
export function moveInSeries(
  id: number,
  version: number,
  videoId: string,
  to: number | "up" | "down",
  userId: string,
) {
  return change(userId, (): Outcome => {
    const series = findSeries(id);
    if (!series) return GONE;
    if (series.version !== version) return CHANGED;
    const order = seriesOrder(id);
    const from = order.indexOf(videoId);
    if (from === -1) return CHANGED;
    const requested = to === "up" ? from - 1 : to === "down" ? from + 1 : to - 1;
    const at = Math.max(0, Math.min(requested, order.length - 1));
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
 * Adds videos to the end of a series.
 *
 * @returns the ids that were added, or a failure: 404 if the series doesn't exist, 422 if the series would have too
 *   many videos.
 */
export async function addToSeries(id: number, videoIds: readonly string[], userId: string) {
  let added: string[] = [];
  const done = await change(userId, (): Outcome => {
    const series = findSeries(id);
    if (!series) return GONE;
    const order = seriesOrder(id);
    const present = new Set(order);
    const known = new Set(existingIds(videoIds));
    added = [...new Set(videoIds)].filter((each) => known.has(each) && !present.has(each));
    if (order.length + added.length > MAX_SERIES_VIDEOS) {
      const limit = MAX_SERIES_VIDEOS.toLocaleString("en");
      return failure(422, FAILED, { detail: `A series can have at most ${limit} videos.` });
    }
    if (added.length === 0) return { id, title: series.title };
    writeOrder(id, [...order, ...added]);
    const detail = `added ${formatQuantity(added.length, "video")} to the series “${series.title}”`;
    return { id, title: series.title, action: "series-videos", detail };
  });
  return "status" in done ? done : { ...done, changed: added };
}

/** Removes videos from a series. Returns the ids that were removed, or a failure with status 404. */
export async function removeFromSeries(id: number, videoIds: readonly string[], userId: string) {
  let removed: string[] = [];
  const done = await change(userId, (): Outcome => {
    const series = findSeries(id);
    if (!series) return GONE;
    const order = seriesOrder(id);
    const requested = new Set(videoIds);
    removed = order.filter((each) => requested.has(each));
    if (removed.length === 0) return { id, title: series.title };
    const left = order.filter((each) => !requested.has(each));
    const version = writeOrder(id, left);
    const videos = formatQuantity(removed.length, "video");
    const detail = `removed ${videos} from the series “${series.title}”`;
    return { id, title: series.title, version, action: "series-videos", detail };
  });
  return "status" in done ? done : { ...done, changed: removed };
}

/** A failure, or the changed series and its activity entry. If the entry has no action, nothing was changed. */
type Outcome = SeriesFailure | (Done & Partial<Pick<ActivityEntry, "action" | "detail">>);

/** Performs and records a change in one transaction. Also invalidates caches and the data of open pages. */
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
      owner !== id && { slug: "Another series uses or has used this URL." }),
  };
}

function titleTaken(title: string, id = 0): string | undefined {
  const other = prepared(
    "SELECT 1 FROM series WHERE title = ? COLLATE NOCASE AND deleted_at IS NULL AND id <> ?",
  ).get(title, id);
  return other ? `There is already a series called “${title}”.` : undefined;
}

function ownerOf(slug: string): number | undefined {
  return prepared<number>("SELECT series_id FROM series_slugs WHERE slug = ?").pluck().get(slug);
}

function setFeatured(id: number, isFeatured: boolean): void {
  prepared("DELETE FROM featured_series WHERE series_id = ? OR ?").run(id, Number(isFeatured));
  if (isFeatured) prepared("INSERT INTO featured_series (id, series_id) VALUES (1, ?)").run(id);
}

/**
 * Writes changed positions. Videos that are missing from the order are removed from the series. Returns the new
 * version.
 */
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
  return bumpVersion(id);
}

function bumpVersion(id: number): number {
  return prepared<number>(
    "UPDATE series SET version = version + 1, updated_at = ? WHERE id = ? RETURNING version",
  )
    .pluck()
    .get(new Date().toISOString(), id)!;
}

/** The series fields in a video's edit form. */
interface SeriesEdit {
  /** The id of the series to add the video to. */
  add?: number;
  /** The ids of the series to remove the video from. */
  leave: number[];
}

/**
 * Reads the fields `addToSeries`, which contains a title, and `leaveSeries.{id}`. Returns a message if no series has
 * that title.
 */
export function readSeriesEdit(fields: FormData): SeriesEdit | string {
  const name = String(fields.get("addToSeries") ?? "").trim();
  const leave = [...fields.keys()].flatMap((field) => {
    const id = /^leaveSeries\.(\d{1,15})$/.exec(field)?.[1];
    return id ? [Number(id)] : [];
  });
  if (name === "") return { leave };
  const series = findSeriesByName(name);
  return series ? { add: series.id, leave } : unknownSeriesMessage(name);
}

/** Adds a video to a series and removes it from others. Returns the failure if one of the series can't be changed. */
export async function editSeriesOf(
  videoId: string,
  { add, leave }: SeriesEdit,
  userId: string,
): Promise<Failure | undefined> {
  // A series that no longer exists doesn't need to be changed.
  for (const id of leave) await removeFromSeries(id, [videoId], userId);
  const added = add === undefined ? undefined : await addToSeries(add, [videoId], userId);
  return added && "status" in added ? added : undefined;
}
