// npm run move-storage: moves the videos of a site into the store that STORAGE_URL names, and back.

import { removeFiles } from "~/media/files/removals.server";
import { moveBack, setMovingToDisk } from "~/media/storage/move-back.server";
import {
  dueEntries,
  type MoveProgress,
  moveIntoStore,
} from "~/media/storage/move-into-store.server";
import { SettingsError, settings } from "~/platform/settings.server";
import { formatQuantity } from "~/shared/format";
import { formatBytes } from "~/shared/format-bytes";
import { UsageError } from "../ask";
import { requireSite } from "../require-site";
import { runScript } from "../run-script";
import { nowAndThen } from "./now-and-then";

const USAGE = `npm run move-storage -- --to store|disk

Moves all files into the store that STORAGE_URL names, or back to UPLOADS_DIR. Each file is compared with
its digest before the original is removed, so all videos can be watched in the meantime. Run it while the server is
running with the same STORAGE_URL. If it is interrupted, run it again.
  --to store   what the server does automatically, in the background
  --to disk    afterwards restart the server without STORAGE_URL. Until then the server moves nothing into
               the store.

Exits with 1 if files remain.`;

await runScript(USAGE, { to: { type: "string" } }, async ({ to }) => {
  if (to !== "store" && to !== "disk") throw new UsageError(USAGE);
  requireSite();
  if (!settings().storage) throw new SettingsError("STORAGE_URL must name the store.");
  if (to === "store") {
    await setMovingToDisk(false);
    say("Moved", await moveIntoStore(nowAndThen((progress) => say("Moved", progress))));
    const left = dueEntries();
    if (left === 0) return;
    console.log(
      `${formatQuantity(left, "item")} in use by jobs. The server moves them when the jobs are done.`,
    );
    process.exitCode = 1;
    return;
  }
  const { lost, ...progress } = await moveBack(nowAndThen((moved) => say("Brought back", moved)));
  say("Brought back", progress);
  await removeFiles();
  if (lost.length === 0) {
    console.log("All files are on the disk. Restart the server without STORAGE_URL.");
    return;
  }
  for (const name of lost)
    console.log(
      `Missing or damaged in the file store, or its path contains a symbolic link: ${name}`,
    );
  console.log(
    "The server doesn't start without STORAGE_URL while it has these files. Restore their objects, or delete their videos permanently, and run the command again.",
  );
  process.exitCode = 1;
});

function say(what: string, { files, bytes }: MoveProgress): void {
  console.log(`${what} ${formatQuantity(files, "file")}, ${formatBytes(bytes)}.`);
}
