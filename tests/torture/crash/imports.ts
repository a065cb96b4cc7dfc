import fs from "node:fs";
import path from "node:path";
import { NOWHERE, texts, type Video, type VideoState } from "./model";
import { FORM, form, type Session, send } from "./session";
import { newVideo } from "./videos";

const MAX_NEW_VIDEOS = 3;
const POLL_INTERVAL_MS = 100;

/**
 * Puts videos into the import folder.
 * @returns the videos that the next import will find, including those that a killed import left behind.
 */
export function prepareImport(session: Session): Video[] {
  const { random, videos, folder } = session;
  for (const video of videos) if (video.imported && video.id) removeFromFolder(folder, video);
  for (let count = 1 + random.below(MAX_NEW_VIDEOS); count > 0; count--) addToFolder(session);
  const importable = videos.filter(({ allowed: [state], imported, id }) => {
    return imported && !id && state?.at === "nowhere";
  });
  for (const video of importable) video.allowed = [NOWHERE, video.imported!];
  return importable;
}

/** Starts an import of the folder on the site, and waits until it has finished. */
export async function importFolder(session: Session): Promise<void> {
  const { random } = session;
  const importable = prepareImport(session);
  const mode = random.chance(0.5) ? "move" : "copy";
  const response = await send(
    session,
    "POST",
    "/admin/import",
    FORM,
    form({ intent: "folder", mode }),
  );
  session.operations++;
  if (!response || response.body.includes("The folder is already being imported.")) return;
  if (response.status !== 302) {
    session.faults.push(`An import failed with ${response.status} ${response.body.slice(0, 200)}`);
    return;
  }
  const report = await waitForReport(session);
  if (report?.endsWith(" 0 failed."))
    for (const video of importable) video.allowed = [video.imported!];
}

/**
 * Adds a video and a file with its fields to the folder. The video is renamed into place, so that it never appears
 * half-written.
 */
function addToFolder({ random, videos, folder }: Session): void {
  const word = `video${videos.length}x${random.below(1e6)}`;
  const { bytes, sha256, frames } = newVideo(random, word);
  const isPublic = random.chance(0.6);
  const imported: VideoState = { ...texts(word, 0), at: "catalogue", isPublic, publishAt: null };
  videos.push({ word, sha256, frames, allowed: [NOWHERE], imported });
  const status = isPublic ? "published" : "hidden";
  const row = { ...texts(word, 0), category: "desi", tags: "torture", status };
  fs.writeFileSync(path.join(folder, `${word}.json`), JSON.stringify(row));
  fs.writeFileSync(path.join(folder, `.${word}`), bytes);
  fs.renameSync(path.join(folder, `.${word}`), path.join(folder, `${word}.mp4`));
}

/**
 * Removes an imported video from the folder. Otherwise, the next import would add the video again after it is deleted
 * on the site.
 */
export function removeFromFolder(folder: string, { word }: Video): void {
  for (const name of [`${word}.mp4`, `${word}.json`])
    fs.rmSync(path.join(folder, name), { force: true });
}

/**
 * Returns the result that the page shows once the import has ended, or undefined if the site was killed before that.
 */
async function waitForReport(session: Session): Promise<string | undefined> {
  for (;;) {
    const page = await send(session, "GET", "/admin/import", {});
    if (!page || page.status >= 500) return undefined;
    const [report] = /\d+ imported \([^<]*|The import failed\./.exec(page.body) ?? [];
    if (report) return report.trim();
    await new Promise((next) => setTimeout(next, POLL_INTERVAL_MS));
  }
}
