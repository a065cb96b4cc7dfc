import { createHash } from "node:crypto";
import { sql } from "kysely";
import { HAS_UNCLEAN_THUMBNAIL, HAS_UNCLEAN_VIDEO } from "~/media/metadata/clean-files.server";
import { type CategoryId, storedValues, toCategoryId } from "~/shared/categories";
import { storedDuration } from "~/shared/format";
import { ownMediaPath } from "~/shared/media-path";
import { readCaptions } from "~db/captions";
import { ensureProjected } from "~db/changes.server";
import { database, prepared } from "~db/client.server";
import { firstRow } from "~db/run-query.server";
import { VIDEO_STATUSES, type VideoRow, type VideoStatus } from "~db/schema";
import { readTags } from "~db/tags";
import { queryThread } from "~db/threads/query-thread.server";
import type { EditableVideo, ManagedPage, ManagedVideo } from "../managed-video";
import type { Uploader } from "./filter-bar";
import { DEFAULT_PAGE_SIZE, type ManageView } from "./manage-address";
import type { ManagedQuery, ManagedResult } from "./managed-search.server";

const hasPrivateMetadata = sql<0 | 1 | null>`
  ${sql.raw(HAS_UNCLEAN_VIDEO)} OR ${sql.raw(HAS_UNCLEAN_THUMBNAIL)}`.as("unclean");

/** Returns one page of the videos that match the view, regardless of their status. */
export async function listManaged(view: ManageView): Promise<ManagedPage> {
  await ensureProjected();
  const queryView = toQueryView(view);
  const { search, scheduled, similar, uploadedBy, from, to, problems } = queryView;
  const status = VIDEO_STATUSES.find((each) => each === view.status);
  const needsCount =
    search ||
    scheduled ||
    similar ||
    uploadedBy ||
    from ||
    to ||
    problems ||
    status !== view.status;
  const total = needsCount ? undefined : await countVideos({ status, category: view.category });
  const query: ManagedQuery = { view: queryView, total };
  const found = await queryThread<ManagedResult>("reading", "managed", query);
  const rows = await database()
    .selectFrom("videos")
    .select([...MANAGED_COLUMNS, "number"])
    .select(hasPrivateMetadata)
    .where("number", "in", found.rows)
    .execute();
  const byNumber = new Map(rows.map((row) => [row.number, toManaged(row)]));
  const videos = found.rows.flatMap((number) => byNumber.get(number) ?? []);
  const pageCount = Math.max(1, Math.ceil(found.total / (view.size ?? DEFAULT_PAGE_SIZE)));
  const page = Math.min(view.page, pageCount);
  return { videos, page, pageCount, total: found.total };
}

/** Returns the ids of at most `limit` videos that match the view, in no particular order. */
export async function findVideoIds(view: ManageView, limit: number): Promise<string[]> {
  await ensureProjected();
  return queryThread<string[]>("reading", "managed-ids", { view: toQueryView(view), limit });
}

function toQueryView({
  category,
  uploader,
  columns: _,
  ...view
}: ManageView): ManagedQuery["view"] {
  const uploadedBy = view.uploadedBy ?? uploader;
  const categories = category && storedValues(category);
  return { ...view, uploadedBy, knownTo: view.uploadedBy, categories };
}

/**
 * Returns a video with all fields that can be edited, or undefined if the video doesn't exist.
 *
 * @param uploadedBy a user id. If it is given, the result is also undefined if someone else uploaded the video.
 */
export function findEditable(id: string, uploadedBy?: string): EditableVideo | undefined {
  const found = database()
    .selectFrom("videos")
    .select(EDITABLE_COLUMNS)
    .select(hasPrivateMetadata)
    .where("id", "=", id);
  const row = firstRow(
    uploadedBy === undefined ? found : found.where("uploaded_by", "=", uploadedBy),
  );
  return row && toEditable(row);
}

const MANAGED_COLUMNS = [
  "id",
  "title",
  "category",
  "status",
  "duration",
  "views",
  "bytes",
  "created_at",
  "thumbnail_url",
  "publish_at",
  "unpublish_at",
  "ready_at",
  "held",
] as const satisfies readonly (keyof VideoRow)[];

export const EDITABLE_COLUMNS = [
  ...MANAGED_COLUMNS,
  "description",
  "tags",
  "video_url",
  "captions",
  "storyboard_url",
] as const satisfies readonly (keyof VideoRow)[];

type ManagedRow = Pick<VideoRow, (typeof MANAGED_COLUMNS)[number]> & { unclean?: 0 | 1 | null };
type EditableRow = Pick<VideoRow, (typeof EDITABLE_COLUMNS)[number]> & ManagedRow;

function toManaged(row: ManagedRow): ManagedVideo {
  return {
    id: row.id,
    title: row.title,
    category: row.category,
    status: row.status,
    duration: storedDuration(row.duration),
    views: row.views,
    bytes: row.bytes,
    createdAt: row.created_at,
    thumbnailUrl: ownMediaPath(row.thumbnail_url) ?? null,
    ...(row.status === "review" && row.ready_at !== null && { isReady: true }),
    ...(row.held === 1 && { isHeld: true }),
    ...(row.unclean === 1 && { hasMetadata: true }),
    schedule: { publishAt: row.publish_at, unpublishAt: row.unpublish_at },
  };
}

export function toEditable(row: EditableRow): EditableVideo {
  return {
    ...toManaged(row),
    description: row.description,
    tags: readTags(row.tags),
    captions: readCaptions(row.captions),
    videoUrl: ownMediaPath(row.video_url) || undefined,
    storyboardUrl: ownMediaPath(row.storyboard_url),
    version: versionOf(row),
  };
}

/**
 * Returns a hash of the fields that an editor sees. Unlike a counter, a hash also changes when another tool writes to
 * the table, and a change that was reverted doesn't cause a conflict. Files are left out, because processing changes
 * them.
 */
function versionOf(row: EditableRow): string {
  const visible = [row.title, row.description, row.category, row.tags, row.duration, row.status];
  return createHash("sha256").update(JSON.stringify(visible)).digest("base64url").slice(0, 16);
}

export interface Totals {
  videos: number;
  views: number;
  bytes: number;
}

interface CountedFilter {
  status?: VideoStatus;
  category?: CategoryId;
}

/** Returns the number of videos, views and bytes in each category. Legacy values count toward the current category. */
export async function totalsByCategory(filter: CountedFilter = {}): Promise<Map<string, Totals>> {
  await ensureProjected();
  let query = database()
    .selectFrom("video_totals")
    .select(["category", "videos", "views", "bytes"])
    .where("videos", ">", 0);
  if (filter.status) query = query.where("status", "=", filter.status);
  if (filter.category) query = query.where("category", "in", storedValues(filter.category));
  const byCategory = new Map<string, Totals>();
  for (const row of await query.execute()) {
    const category = toCategoryId(row.category) ?? row.category;
    const sum = byCategory.get(category) ?? { videos: 0, views: 0, bytes: 0 };
    sum.videos += row.videos;
    sum.views += row.views;
    sum.bytes += row.bytes;
    byCategory.set(category, sum);
  }
  return byCategory;
}

/** Returns the number of videos with a given status and category. */
export async function countVideos(filter: CountedFilter): Promise<number> {
  const all = await totalsByCategory(filter);
  return [...all.values()].reduce((sum, { videos }) => sum + videos, 0);
}

/** A longer list of options would be unusable. */
const MAX_UPLOADERS = 500;

/** Returns the users who have uploaded videos that still exist, sorted by email address. */
export function uploaders(): Uploader[] {
  return prepared<Uploader>(
    `SELECT id, email FROM users
     WHERE EXISTS (SELECT 1 FROM videos WHERE videos.uploaded_by = users.id)
     ORDER BY email LIMIT ?`,
  ).all(MAX_UPLOADERS);
}
