// npm run demo: fills the site with short generated clips. Running it again adds only clips whose ids are missing.
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ensureFirstAccount, firstUser } from "~/features/accounts/users.server";
import { termsRefusal } from "~/features/moderation/uploaders/terms.server";
import { importVideos, knownIds } from "~/features/upload/import/import.server";
import { type ImportEntry, ImportError } from "~/features/upload/import/table.server";
import { createBuckets } from "~/media/bucket.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { cutPoster, drawPanorama, videoPanorama } from "./demo/draw";
import { SCENES, type Scene } from "./demo/scenes";
import { progressBar } from "./progress-bar";
import { runScript } from "./run-script";

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;

const USAGE = `npm run demo

Fills the site with ${SCENES.length} short generated clips of different lengths, sizes and colors. Existing clips
aren't changed. Without ffmpeg, the videos have thumbnails but no files.`;

await runScript(USAGE, {}, async () => {
  const refusal = termsRefusal(undefined);
  if (refusal) {
    throw new ImportError(
      `${refusal} The demo can't accept the terms for you. Turn off the requirement at /admin/terms while it runs.`,
    );
  }
  createBuckets();
  await ensureFirstAccount();
  const user = await firstUser();
  if (!user) throw new Error("The first account was created but can't be found.");
  const videos = await ffmpegAvailable();
  if (!videos) {
    console.log("Warning: ffmpeg not found. The videos have thumbnails but no files.");
  }

  const known = await knownIds(SCENES.map(idOf));
  const missing = SCENES.filter((scene) => !known.has(idOf(scene)));
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "demo-"));
  const bar = progressBar(missing.length, missing.length);
  try {
    const entries: ImportEntry[] = [];
    for (const scene of missing) {
      entries.push(await createEntry(scene, folder, videos));
      bar.advance(1, 1);
    }
    bar.end();
    const { imported, failures } = await importVideos(
      { entries, failures: [] },
      { userId: user.id, mode: "move" },
    );
    for (const { name, reason } of failures) console.error(`${name}: ${reason}`);
    if (failures.length > 0) process.exitCode = 1;
    console.log(`Added ${imported} videos. ${known.size} already existed.`);
  } finally {
    bar.end();
    await fs.rm(folder, { recursive: true, force: true });
  }
});

function idOf(scene: Scene): string {
  return `demo-${scene.title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
}

async function createEntry(scene: Scene, folder: string, videos: boolean): Promise<ImportEntry> {
  const name = path.join(folder, idOf(scene));
  const seed = SCENES.indexOf(scene) + 1;
  await drawPanorama(scene, seed, `${name}-panorama.png`);
  await cutPoster(scene, `${name}-panorama.png`, `${name}.png`);
  if (videos) await videoPanorama(scene, `${name}-panorama.png`, `${name}.mp4`);
  // The times are an hour apart, so that the videos are sorted in the order of the list.
  const createdAt = new Date(Date.now() - scene.daysAgo * DAY_MS - seed * HOUR_MS).toISOString();
  return {
    name: scene.title,
    file: videos ? `${name}.mp4` : undefined,
    thumbnail: `${name}.png`,
    id: idOf(scene),
    title: scene.title,
    description: scene.description,
    category: scene.category,
    tags: scene.tags,
    status: "published",
    durationSeconds: scene.seconds,
    views: scene.views,
    createdAt,
  };
}
