// npm run check-library: compares the files in the buckets with the rows of the catalogue.

import { checkDocuments } from "~/features/consent/documents.server";
import {
  checkLibrary,
  quarantineDocuments,
  quarantineStray,
} from "~/features/operations/library-check/check-library.server";
import {
  checkStore,
  quarantineObjects,
  recoverFiles,
} from "~/features/operations/library-check/check-store.server";
import { fillPosterColors } from "~/features/operations/library-check/fill-poster-colors.server";
import {
  messageFor,
  resumeRemovals,
} from "~/features/operations/library-check/paused-removals.server";
import { quarantineFolder } from "~/features/operations/library-check/quarantine.server";
import { identifySite, removalsPausedBy } from "~/media/removal-guard.server";
import { formatQuantity } from "~/shared/format";
import { formatBytes } from "~/shared/format-bytes";
import { requireSite } from "./require-site";
import { runScript } from "./run-script";

const USAGE = `npm run check-library -- [--fix] [--resume-removals]

Reports files that belong to no video, and videos whose file is missing, on the disk and in the store of
STORAGE_URL, corrects the figure of storage used, and reads the colors of posters that have none yet. It
may run beside the server.
  --fix              move files that nothing refers to and that haven't changed for 7 days to
                     UPLOADS_DIR/.quarantine, and remove unused objects from the store. Does nothing
                     while removals are paused.
  --resume-removals  accept the database and the uploads folder as they are, after a start has
                     reported that removals are paused

Exit code 1 when something is wrong and was not fixed.`;

/** An upload has its row within milliseconds of its file; so long is waited for it. */
const ROW_FOLLOWS_WITHIN_MS = 2_000;

await runScript(
  USAGE,
  { fix: { type: "boolean" }, "resume-removals": { type: "boolean" } },
  async ({ fix, "resume-removals": resume }) => {
    requireSite();
    await identifySite();
    if (resume) {
      await resumeRemovals();
      if (!(await removalsPausedBy())) console.log("Removals have resumed.");
    }
    const { stray, missing, entries, bytes, pausedBy } = await checkLibrary();
    console.log(`${entries} files and folders, ${formatBytes(bytes)}.`);
    for (const { title, url, videoId } of missing) {
      console.log(`Missing: ${url} of "${title}" (${videoId})`);
    }
    for (const { bucket, path, bytes } of stray) {
      console.log(`Of no video: ${bucket}/${path} (${formatBytes(bytes)})`);
    }
    const store = await checkStore();
    if (fix && store && !pausedBy) {
      for (const name of await recoverFiles(store))
        console.log(`Recovered from the store: ${name}`);
    }
    for (const file of store?.missing ?? []) console.log(`Missing in the file store: ${file}`);
    for (const key of store?.recoverable ?? []) {
      console.log(`In the file store, but not recorded: ${key}`);
    }
    for (const { key, bytes } of store?.stray ?? []) {
      console.log(`Of no file, in the file store: ${key} (${formatBytes(bytes)})`);
    }
    for (const key of store?.unfinished ?? []) {
      console.log(`Sent in part, in the file store: ${key}`);
    }
    const documents = checkDocuments();
    for (const id of documents.missing) console.log(`Missing: the document ${id} of a performer`);
    for (const name of documents.stray) console.log(`Of no performer: documents/${name}`);
    const filled = await fillPosterColors();
    if (filled > 0) console.log(`The colors of ${formatQuantity(filled, "poster")} were read.`);
    const lost = missing.length + documents.missing.length + (store?.missing.length ?? 0);
    const ofNoFile = (store?.stray.length ?? 0) + (store?.unfinished.length ?? 0);
    const strays = stray.length + documents.stray.length + ofNoFile;
    if (lost + strays === 0) console.log("Everything is where it belongs.");
    let left = strays;
    if (pausedBy) console.log(messageFor(pausedBy));
    else if (fix && strays > 0) {
      await new Promise((resolve) => setTimeout(resolve, ROW_FOLLOWS_WITHIN_MS));
      const moved = [
        ...(await quarantineStray(stray)),
        ...(await quarantineDocuments(documents.stray)),
      ].length;
      const objects = store ? (await quarantineObjects(store)).length : 0;
      if (moved > 0) {
        console.log(
          `Moved ${moved} to ${quarantineFolder()}. Remove them there once you are sure that nobody needs them.`,
        );
      }
      if (objects > 0) {
        console.log(
          `${formatQuantity(objects, "object")} will be removed from the store in 30 days.`,
        );
      }
      left -= moved + objects + (store?.unfinished.length ?? 0);
      if (left > 0) {
        console.log(
          `Left in place because they have changed within 7 days or are used by now: ${left}.`,
        );
      }
    } else if (strays > 0) {
      console.log("npm run check-library -- --fix moves the files to a quarantine.");
    }
    if (lost > 0 || left > 0 || pausedBy) process.exitCode = 1;
  },
);
