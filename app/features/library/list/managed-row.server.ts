import { createHash } from "node:crypto";
import { storedDuration } from "~/shared/format";
import { ownMediaPath } from "~/shared/media-path";
import { readCaptions } from "~db/captions";
import type { VideoRow } from "~db/schema";
import { readTags } from "~db/tags";
import type { EditableVideo, ManagedVideo } from "./managed-video";

export const MANAGED_COLUMNS = [
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

export function toManaged(row: ManagedRow): ManagedVideo {
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
 * A fingerprint of what an editor sees of a row. Made from the content and not counted, so that
 * whoever writes to the table changes it, and a change that was taken back is no conflict. The
 * files are left out: they change when the queue has made something, which is no edit.
 */
function versionOf(row: EditableRow): string {
  const seen = [row.title, row.description, row.category, row.tags, row.duration, row.status];
  return createHash("sha256").update(JSON.stringify(seen)).digest("base64url").slice(0, 16);
}
