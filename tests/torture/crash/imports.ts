import fs from "node:fs";
import path from "node:path";
import { NOWHERE, texts, type Video, type VideoState } from "./model";
import { FORM, form, type Session, send } from "./session";
import { newVideo } from "./videos";

const MAX_CONCURRENT_VIDEOS = 3;
const LOOK_EVERY_MS = 100;

/**
 * Puts videos into the folder that the site imports from.
 *
 * @returns the videos that the next import takes, also those that one has left when it was killed.
 */
export function prepareImport(session: Session): Video[] {
  const { random, videos, folder } = session;
  for (const video of videos) if (video.imported && video.id) takeOut(folder, video);
  for (let count = 1 + random.below(MAX_CONCURRENT_VIDEOS); count > 0; count--) putIn(session);
  const wanted = videos.filter(({ allowed: [state], imported, id }) => {
    return imported && !id && state?.at === "nowhere";
  });
  for (const video of wanted) video.allowed = [NOWHERE, video.imported!];
  return wanted;
}

/** Has the site import the folder to its end. */
export async function importFolder(session: Session): Promise<void> {
  const { random } = session;
  const wanted = prepareImport(session);
  const mode = random.chance(0.5) ? "move" : "copy";
  const answer = await send(
    session,
    "POST",
    "/admin/import",
    FORM,
    form({ intent: "folder", mode }),
  );
  session.operations++;
  if (!answer || answer.body.includes("The folder is already being imported.")) return;
  if (answer.status !== 302) {
    session.faults.push(`An import: answered ${answer.status} ${answer.body.slice(0, 200)}`);
    return;
  }
  const report = await reportOf(session);
  if (report?.endsWith(" 0 failed.")) for (const video of wanted) video.allowed = [video.imported!];
}

/** A video with its texts in a file beside it, which is there as a whole or not at all. */
function putIn({ random, videos, folder }: Session): void {
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

/** It is in the catalogue: were it deleted, the next import would bring it in again. */
export function takeOut(folder: string, { word }: Video): void {
  for (const name of [`${word}.mp4`, `${word}.json`])
    fs.rmSync(path.join(folder, name), { force: true });
}

/** What the page says of the import once it has ended; undefined when the site was killed before. */
async function reportOf(session: Session): Promise<string | undefined> {
  for (;;) {
    const page = await send(session, "GET", "/admin/import", {});
    if (!page || page.status >= 500) return undefined;
    const [report] = /\d+ imported \([^<]*|The import failed\./.exec(page.body) ?? [];
    if (report) return report.trim();
    await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
  }
}
