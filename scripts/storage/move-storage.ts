// npm run move-storage: moves the films of a site into the store that STORAGE_URL names, and back.

import { removeFiles } from "~/media/files/removals.server";
import { moveBack, setLeavesStore } from "~/media/storage/move-back.server";
import {
  dueEntries,
  type MoveProgress,
  moveIntoStore,
} from "~/media/storage/move-into-store.server";
import { SettingsError, settings } from "~/server/settings.server";
import { formatQuantity } from "~/shared/format";
import { formatBytes } from "~/shared/format-bytes";
import { UsageError } from "../ask";
import { requireSite } from "../require-site";
import { runScript } from "../run-script";
import { nowAndThen } from "./now-and-then";

const USAGE = `npm run move-storage -- --to store|disk

Moves all files into the store that STORAGE_URL names, or back to UPLOADS_DIR. Each file is compared with
its digest before it leaves the other place, so all videos can be watched in the meantime. It may run beside the
server, which has to be running with the same STORAGE_URL. If it is interrupted, run it again.
  --to store   what the server does automatically, in the background
  --to disk    afterwards restart the server without STORAGE_URL. Until then the server moves nothing into
               the store.

Exit code 1 if something is left.`;

await runScript(USAGE, { to: { type: "string" } }, async ({ to }) => {
  if (to !== "store" && to !== "disk") throw new UsageError(USAGE);
  requireSite();
  if (!settings().storage) throw new SettingsError("STORAGE_URL must name the store.");
  if (to === "store") {
    await setLeavesStore(false);
    say("Moved", await moveIntoStore(nowAndThen((progress) => say("Moved", progress))));
    const left = dueEntries();
    if (left === 0) return;
    console.log(
      `Jobs are working on ${formatQuantity(left, "file")} or folders. The server moves them afterwards.`,
    );
    process.exitCode = 1;
    return;
  }
  say("Brought back", await moveBack(nowAndThen((progress) => say("Brought back", progress))));
  await removeFiles();
  console.log("All files are on the disk. Restart the server without STORAGE_URL.");
});

function say(what: string, { files, bytes }: MoveProgress): void {
  console.log(`${what} ${formatQuantity(files, "file")}, ${formatBytes(bytes)}.`);
}
