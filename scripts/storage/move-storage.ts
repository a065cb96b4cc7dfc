// npm run move-storage: moves the films of a site into the store that STORAGE_URL names, and back.

import { readMarker, removeMarker, writeMarker } from "~/media/storage/marker.server";
import { moveBack } from "~/media/storage/move-back.server";
import { dueEntries, type MoveProgress, moveDueFiles } from "~/media/storage/move-files.server";
import { finishStoreRemovals } from "~/media/storage/remove.server";
import { SettingsError, settings } from "~/server/settings.server";
import { formatQuantity } from "~/shared/format";
import { formatBytes } from "~/shared/format-bytes";
import { UsageError } from "../ask";
import { runScript } from "../run-script";
import { nowAndThen } from "./now-and-then";

const USAGE = `npm run move-storage -- --to store|disk

Moves the films into the store that STORAGE_URL names, or back to UPLOADS_DIR. Each file is compared with
its digest before it leaves the other place, so that all of them can be watched meanwhile. It may run
beside the server, which has to be started with the same STORAGE_URL before; what was interrupted goes on
when it is run again.
  --to store   what the server does by itself, slowly, without being asked
  --to disk    afterwards restart the server without STORAGE_URL

Exit code 1 when something is left.`;

await runScript(USAGE, { to: { type: "string" } }, async ({ to }) => {
  if (to !== "store" && to !== "disk") throw new UsageError(USAGE);
  const { storage } = settings();
  if (!storage) throw new SettingsError("STORAGE_URL must name the store.");
  writeMarker({ url: storage.url, direction: to === "store" ? "there" : "back" });
  if (to === "store") {
    say("Moved", await moveDueFiles(nowAndThen((progress) => say("Moved", progress))));
    const left = dueEntries();
    if (left === 0) return;
    console.log(
      `Conversions are at work on ${formatQuantity(left, "film")}, which the server moves when they are done.`,
    );
    process.exitCode = 1;
    return;
  }
  say("Brought back", await moveBack(nowAndThen((progress) => say("Brought back", progress))));
  await finishStoreRemovals();
  if (readMarker()?.direction === "back") removeMarker();
  console.log("Nothing is left in the store. Restart the server without STORAGE_URL.");
});

function say(what: string, { files, bytes }: MoveProgress): void {
  console.log(`${what} ${formatQuantity(files, "file")}, ${formatBytes(bytes)}.`);
}
