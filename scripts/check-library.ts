// npm run check-library: compares the files in the buckets with the rows of the catalogue.

import { formatQuantity } from "~/shared/format";
import { formatBytes } from "~/shared/format-bytes";
import { checkLibrary, removeStray } from "~/studio/library/check-library.server";
import { checkStore, removeStrayObjects } from "~/studio/library/check-store.server";
import { fillPosterColors } from "~/studio/library/fill-poster-colors.server";
import { checkDocuments, removeDocumentFiles } from "~/trust/consent/documents.server";
import { verifyLog } from "~/trust/moderation-log.server";
import { runScript } from "./run-script";

const USAGE = `npm run check-library -- [--fix]

Reports files that belong to no video, and videos whose file is missing, on the disk and in the store of
STORAGE_URL, corrects the figure of storage used, and reads the colours of posters that have none yet. Follows the log of moderators'
decisions from its first entry to its last, and names the first that was changed. It may run beside the
server.
  --fix   remove the files that belong to no video and no performer

Exit code 1 when something is wrong and was not mended.`;

/** An upload has its row within milliseconds of its file; so long is waited for it. */
const ROW_FOLLOWS_WITHIN_MS = 2_000;

await runScript(USAGE, { fix: { type: "boolean" } }, async ({ fix }) => {
  const { stray, missing, entries, bytes } = await checkLibrary();
  console.log(`${entries} files and folders, ${formatBytes(bytes)}.`);
  for (const { title, url, videoId } of missing) {
    console.log(`Missing: ${url} of "${title}" (${videoId})`);
  }
  for (const { bucket, path, bytes } of stray) {
    console.log(`Of no video: ${bucket}/${path} (${formatBytes(bytes)})`);
  }
  const store = await checkStore();
  for (const file of store?.missing ?? []) console.log(`Missing in the file store: ${file}`);
  for (const { bucket, path } of store?.lostCopies ?? []) {
    console.log(`Missing in the file store, and put there again: the copy of ${bucket}/${path}`);
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
  if (filled > 0) console.log(`The colours of ${formatQuantity(filled, "poster")} were read.`);
  const lost = missing.length + documents.missing.length + (store?.missing.length ?? 0);
  const ofNoFile = (store?.stray.length ?? 0) + (store?.unfinished.length ?? 0);
  const strays = stray.length + documents.stray.length + ofNoFile;
  if (lost + strays === 0) console.log("Everything is where it belongs.");
  if (fix && strays > 0) {
    await new Promise((resolve) => setTimeout(resolve, ROW_FOLLOWS_WITHIN_MS));
    const left = new Set(checkDocuments().stray);
    const unclaimed = documents.stray.filter((name) => left.has(name));
    removeDocumentFiles(unclaimed);
    const objects = store?.stray ?? [];
    if (store) await removeStrayObjects(store);
    const gone = await removeStray(stray);
    const freed = [...gone, ...objects].reduce((sum, entry) => sum + entry.bytes, 0);
    const count = gone.length + unclaimed.length + ofNoFile;
    console.log(`Removed ${count}, ${formatBytes(freed)}.`);
  } else if (strays > 0) console.log("npm run check-library -- --fix removes them.");
  const log = await verifyLog();
  if (log.broken) console.log(`The moderation log was changed. ${log.broken}`);
  else if (log.entries > 0) {
    console.log(
      `The moderation log is as written: ${formatQuantity(log.entries, "decision")}, the last ${log.head}.`,
    );
  }
  if (log.broken || lost > 0 || (!fix && strays > 0)) process.exitCode = 1;
});
