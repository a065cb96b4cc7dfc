import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import { recordActivity } from "~/account/activity.server";
import type { CategoryId } from "~/catalogue/categories";
import { formatDuration } from "~/catalogue/format";
import { type ArrivedFile, HEAD_BYTES } from "~/media/arriving.server";
import { type MediaName, mediaUrl } from "~/media/bucket.server";
import { enqueueFor } from "~/media/jobs/enqueue.server";
import { forgetFiles, recordFile } from "~/media/media-files.server";
import { type Placed, placeUpload } from "~/media/place.server";
import { probe, RefusedFileError } from "~/media/probe.server";
import { videoEnding } from "~/media/sniff.server";
import { type EncodedThumbnail, encodeThumbnail } from "~/media/thumbnail.server";
import { UploadRefused } from "~/media/upload-refused.server";
import { database } from "~db/client.server";
import { recordDigest } from "./duplicates.server";
import type { UploadSuccess } from "./upload-fields";

/** The texts of an upload after they have been checked. */
export interface VideoTexts {
  title: string;
  description: string;
  category: CategoryId;
  tags: string[];
  /** What the sender believes, in seconds; the server's own reading wins. */
  durationSeconds: number | undefined;
}

export interface Upload {
  userId: string;
  status: "published" | "review";
  texts: VideoTexts;
  video: ArrivedFile;
  thumbnail?: ArrivedFile;
}

/**
 * Takes what has arrived into the catalogue; both upload roads end here. The content is looked at
 * first, then the files go into their buckets, the row comes last.
 *
 * @throws {UploadRefused} 415 or 422 for what is no video or no picture, 507 for a full disk. Then
 *   there is no row and no new file, and what arrived is still where it was.
 */
export async function publishUpload(upload: Upload): Promise<UploadSuccess> {
  const { userId, status, texts, video } = upload;
  let thumbnail: EncodedThumbnail | undefined;
  try {
    const looked = await look(video.path);
    if (upload.thumbnail) thumbnail = await encodeThumbnail(upload.thumbnail.path);
    const placed = await placeUpload(
      userId,
      { file: video.path, ending: looked.ending },
      thumbnail?.file,
    );
    const videoUrl = mediaUrl("videos", placed.videoPath);
    const id = randomUUID().replaceAll("-", "");
    try {
      await recordFiles(id, placed);
      await database()
        .insertInto("videos")
        .values({
          id,
          title: texts.title,
          description: texts.description,
          category: texts.category,
          tags: texts.tags.length > 0 ? JSON.stringify(texts.tags) : null,
          duration: formatDuration(looked.durationSeconds ?? texts.durationSeconds ?? 0),
          // What browsers cannot play has no video yet, only a source to make one from.
          video_url: looked.playable ? videoUrl : "",
          source_url: looked.playable ? null : videoUrl,
          thumbnail_url: placed.thumbnailPath ? mediaUrl("thumbnails", placed.thumbnailPath) : null,
          poster_colors: thumbnail?.colors ?? null,
          uploaded_by: userId,
          status,
        })
        .execute();
    } catch (error) {
      await placed.undo();
      await forgetFiles(bucketPaths(placed));
      throw error;
    }
    await placed.settle();
    await recordDigest(id, video.sha256);
    await enqueueFor(id);
    const action = status === "published" ? "publish" : "draft";
    await recordActivity({ userId, action, subjectId: id, detail: texts.title });
    return { id, title: texts.title, status, category: texts.category };
  } finally {
    if (thumbnail) await fs.rm(thumbnail.file, { force: true });
  }
}

interface Look {
  ending: string;
  durationSeconds?: number;
  /** Also where nobody can tell, and nothing could be made of it. */
  playable: boolean;
}

/** What the content itself says; its first bytes alone where ffprobe is not installed. */
async function look(file: string): Promise<Look> {
  const ending = await videoEnding(await firstBytes(file));
  try {
    const found = await probe(file);
    if (!found) return { ending, playable: true };
    return { ending, durationSeconds: found.durationSeconds, playable: found.playable };
  } catch (error) {
    if (!(error instanceof RefusedFileError)) throw error;
    throw new UploadRefused(error.status, error.message, "video");
  }
}

async function firstBytes(file: string): Promise<Buffer> {
  const handle = await fs.open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function bucketPaths({ videoPath, thumbnailPath }: Placed): MediaName[] {
  return [
    { bucket: "videos", path: videoPath },
    ...(thumbnailPath ? [{ bucket: "thumbnails" as const, path: thumbnailPath }] : []),
  ];
}

async function recordFiles(videoId: string, placed: Placed): Promise<void> {
  for (const file of bucketPaths(placed)) {
    const kind = file.bucket === "videos" ? "video" : "thumbnail";
    await recordFile({ ...file, videoId, kind });
  }
}
