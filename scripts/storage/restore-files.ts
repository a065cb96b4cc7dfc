// npm run restore-files: fills UPLOADS_DIR again from the copies in the store, after its disk was lost.
import { restoreFiles } from "~/media/storage/fetch-copies.server";
import { SettingsError, settings } from "~/server/settings.server";
import { formatQuantity } from "~/shared/format";
import { UsageError } from "../ask";
import { runScript } from "../run-script";
import { nowAndThen } from "./now-and-then";

const USAGE = `npm run restore-files

For a site whose films are in the store of STORAGE_URL and whose disk was lost: once its database has been
restored, fetches what stood in UPLOADS_DIR (what says where the films are, pictures, playlists, captions).
What is there is left as it is, so it may be run again. What had not reached the store yet is gone, and
npm run check-library names it.

Exit code 1 when the store does not have a copy any more.`;

await runScript(USAGE, {}, async (_, rest) => {
  if (rest.length > 0) throw new UsageError(USAGE);
  if (!settings().storage) throw new SettingsError("STORAGE_URL must name the store.");
  const { fetched, lost } = await restoreFiles(
    nowAndThen((count: number) => console.log(`${formatQuantity(count, "file")} so far.`)),
  );
  console.log(`${formatQuantity(fetched, "file")} brought back.`);
  for (const { bucket, path } of lost) console.log(`Not in the store: ${bucket}/${path}`);
  if (lost.length > 0) process.exitCode = 1;
});
