import fs from "node:fs";
import path from "node:path";
import { bucketFile, parseMediaUrl } from "~/media/bucket.server";
import { storedFile } from "~/media/files/stored-files.server";
import { recordFile } from "~/media/media-files.server";
import { moveIntoStore } from "~/media/storage/move-into-store.server";
import { ownStore } from "~/media/storage/store-identity.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";

/** Gives the site of this process a folder as its store; returns the folder. */
export async function useFolderStore(siteFolder: string): Promise<string> {
  const store = path.join(siteFolder, "store");
  fs.mkdirSync(store);
  process.env.STORAGE_URL = `file://${store}`;
  forgetSettings();
  await ownStore();
  return store;
}

/**
 * Moves files of a video into the store, and removes the copies on the disk. Its jobs are done then.
 *
 * @returns where each copy was, and where its object is.
 */
export async function leaveInStore(
  store: string,
  videoId: string,
  urls: readonly string[],
): Promise<{ file: string; object: string }[]> {
  const names = urls.map((url) => parseMediaUrl(url)!);
  for (const name of names) await recordFile({ ...name, videoId, kind: "video" });
  sqliteHandle().prepare("UPDATE jobs SET state = 'done' WHERE video_id = ?").run(videoId);
  await moveIntoStore();
  return names.map((name) => {
    const file = bucketFile(name.bucket, name.path)!;
    fs.rmSync(file);
    return { file, object: path.join(store, storedFile(name)!.object) };
  });
}
