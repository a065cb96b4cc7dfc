import fs from "node:fs";
import path from "node:path";
import { bucketFile, parseMediaUrl } from "~/media/bucket.server";
import { storedFile } from "~/media/files/stored-files.server";
import { recordFile } from "~/media/media-files.server";
import { moveIntoStore } from "~/media/storage/move-into-store.server";
import { ownStore } from "~/media/storage/store-identity.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";

/** Configures a folder as the store for this process's site. Returns the folder. */
export async function useFolderStore(siteFolder: string): Promise<string> {
  const store = path.join(siteFolder, "store");
  fs.mkdirSync(store);
  process.env.STORAGE_URL = `file://${store}`;
  forgetSettings();
  await ownStore();
  return store;
}

/**
 * Moves some of a video's files to the store and removes the local copies. Marks the video's jobs as done.
 * @returns the paths of each file's former local copy and of its object.
 */
export async function moveToStore(
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
