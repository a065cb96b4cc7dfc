// npm run move-storage: moves a site's files into the store at STORAGE_URL, or back to the disk.

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
import { UsageError } from "../prompt";
import { requireSite } from "../require-site";
import { runScript } from "../run-script";
import { throttleProgress } from "./throttle-progress";

const USAGE = `npm run move-storage -- --to store|disk

Moves all files into the store at STORAGE_URL, or back to UPLOADS_DIR. Each file is verified before the
original is removed, and all videos can be watched in the meantime. Run it while the server is running
with the same STORAGE_URL. If it is interrupted, run it again.
  --to store   move the files now, which the server also does in the background
  --to disk    move the files back; then restart the server without STORAGE_URL. Until then, the server
               doesn't move anything into the store.

Exits with 1 if files remain.`;

await runScript(USAGE, { to: { type: "string" } }, async ({ to }) => {
  if (to !== "store" && to !== "disk") throw new UsageError(USAGE);
  requireSite();
  if (!settings().storage) throw new SettingsError("Set STORAGE_URL to the store.");
  if (to === "store") {
    await setMovingToDisk(false);
    report("Moved", await moveIntoStore(throttleProgress((progress) => report("Moved", progress))));
    const left = dueEntries();
    if (left === 0) return;
    console.log(
      `Not moved, because jobs are using them: ${formatQuantity(left, "item")}. The server will move them when the jobs are done.`,
    );
    process.exitCode = 1;
    return;
  }
  const { lost, ...progress } = await moveBack(
    throttleProgress((moved) => report("Moved back", moved)),
  );
  report("Moved back", progress);
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
    "The server won't start without STORAGE_URL until these files are moved. Restore their objects, or permanently delete their videos, then run the command again.",
  );
  process.exitCode = 1;
});

function report(action: string, { files, bytes }: MoveProgress): void {
  console.log(`${action} ${formatQuantity(files, "file")}, ${formatBytes(bytes)}.`);
}
