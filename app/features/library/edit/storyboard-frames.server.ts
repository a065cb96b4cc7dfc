import { open } from "node:fs/promises";
import { bucketFile, parseMediaUrl } from "~/media/bucket.server";
import { localFile } from "~/media/files/local-copies.server";
import { ownMediaPath } from "~/shared/media-path";
import { parseStoryboard, type StoryboardFrame } from "~/shared/streams/storyboard";

/** One of ours has at most 100 pictures in some 8 KB; another program's may have more. */
const MOST_FRAMES = 200;
const MOST_BYTES = 64 * 1024;

/**
 * The pictures of a storyboard, in the order of the film, with addresses of this site; none where there
 * is no storyboard, or it can't be read.
 */
export async function storyboardFrames(url: string | null): Promise<StoryboardFrame[]> {
  const name = parseMediaUrl(url ?? "");
  const file = name && bucketFile(name.bucket, name.path);
  const text = file && (await readHead(file));
  if (!text) return [];
  const own = parseStoryboard(text, new URL(url ?? "", HERE).href).flatMap((frame) => {
    const { origin, pathname } = new URL(frame.sheet);
    const sheet = origin === HERE ? ownMediaPath(pathname) : undefined;
    return sheet ? [{ ...frame, sheet }] : [];
  });
  return own.slice(0, MOST_FRAMES);
}

const HERE = "http://this.invalid";

async function readHead(path: string): Promise<string | undefined> {
  try {
    const file = await open(await localFile(path));
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
