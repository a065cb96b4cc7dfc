// npm run check-library: compares the files in the buckets with the catalogue's rows.

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

Reports files without a video and videos without a file, on the disk and in the store at STORAGE_URL.
Also corrects the recorded storage usage, and reads missing poster colors. The server may be running.
  --fix              move unused files that haven't changed for 7 days to UPLOADS_DIR/.quarantine,
                     and remove unused objects from the store. Does nothing while removals are paused.
  --resume-removals  resume removals after the site has reported at startup that they are paused,
                     and accept the database and the uploads folder as they are

Exits with 1 if there are problems that weren't fixed.`;

/**
 * How old a file without a row has to be before it is moved. An upload's row is written within milliseconds of its
 * file.
 */
const ROW_DELAY_MS = 2_000;

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
      console.log(`File without a video: ${bucket}/${path} (${formatBytes(bytes)})`);
    }
    const store = await checkStore();
    if (fix && store && !pausedBy) {
      for (const name of await recoverFiles(store))
        console.log(`Recovered from the store: ${name}`);
    }
    for (const file of store?.missing ?? []) console.log(`Missing in the file store: ${file}`);
    for (const key of store?.recoverable ?? []) {
      console.log(`Unrecorded object in the file store: ${key}`);
    }
    for (const { key, bytes } of store?.stray ?? []) {
      console.log(`Unused object in the file store: ${key} (${formatBytes(bytes)})`);
    }
    for (const key of store?.unfinished ?? []) {
      console.log(`Incomplete upload in the file store: ${key}`);
    }
    const documents = checkDocuments();
    for (const id of documents.missing) console.log(`Missing: document ${id} of a performer`);
    for (const name of documents.stray)
      console.log(`Document without a performer: documents/${name}`);
    const filled = await fillPosterColors();
    if (filled > 0) console.log(`Read the colors of ${formatQuantity(filled, "poster")}.`);
    const lost = missing.length + documents.missing.length + (store?.missing.length ?? 0);
    const ofNoFile = (store?.stray.length ?? 0) + (store?.unfinished.length ?? 0);
    const strays = stray.length + documents.stray.length + ofNoFile;
    if (lost + strays === 0) console.log("No problems found.");
    let left = strays;
    if (pausedBy) console.log(messageFor(pausedBy));
    else if (fix && strays > 0) {
      await new Promise((resolve) => setTimeout(resolve, ROW_DELAY_MS));
      const moved = [
        ...(await quarantineStray(stray)),
        ...(await quarantineDocuments(documents.stray)),
      ].length;
      const objects = store ? (await quarantineObjects(store)).length : 0;
      if (moved > 0) {
        console.log(
          `Moved ${formatQuantity(moved, "file")} to ${quarantineFolder()}. Delete them there once you are sure that nobody needs them.`,
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
          `Not moved, because they changed within the last 7 days or are now in use: ${left}.`,
        );
      }
    } else if (strays > 0) {
      console.log("To move the files to quarantine, run npm run check-library -- --fix.");
    }
    if (lost > 0 || left > 0 || pausedBy) process.exitCode = 1;
  },
);
