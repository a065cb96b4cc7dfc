// npm run backup: a consistent copy of the site, while it runs.
import fs from "node:fs";
import path from "node:path";
import { settings } from "~/server/settings.server";
import { formatQuantity } from "~/shared/format";
import { openSqlite } from "~db/client.server";
import { UsageError } from "./ask";
import { BACKUP, copyNew, listUploads, secretFile } from "./backup-files";
import { runScript } from "./run-script";

const USAGE = `npm run backup -- FOLDER [--with-uploads]

Copies the database, the session secret and a list of the uploaded files into FOLDER, whether or not
the site runs. The same folder may be used again: it then holds the newest state.
  --with-uploads   copy the uploaded files too; those that FOLDER has already are not copied again`;

await runScript(
  USAGE,
  { "with-uploads": { type: "boolean" } },
  async ({ "with-uploads": withUploads }, [folder, ...rest]) => {
    if (!folder || rest.length > 0) throw new UsageError(`One folder has to be named.\n\n${USAGE}`);
    const { databasePath, uploadsDir } = settings();
    if (!fs.existsSync(databasePath)) throw new UsageError(`There is no database ${databasePath}.`);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const target = path.join(folder, BACKUP.uploads);
    // Files before the database and again after it: a row of the copy has its file in the copy, also
    // when it came in, or was deleted, while the first ones were copied.
    let copied = withUploads ? copyNew(listUploads(), uploadsDir, target) : 0;
    copyDatabase(databasePath, path.join(folder, BACKUP.database));
    const files = listUploads();
    if (withUploads) copied += copyNew(files, uploadsDir, target);
    keep(path.join(folder, BACKUP.listing), `${JSON.stringify(files, null, 1)}\n`);
    if (fs.existsSync(secretFile())) {
      keep(path.join(folder, BACKUP.secret), fs.readFileSync(secretFile()));
    }
    const uploads = withUploads ? `, ${copied} of them copied now` : ", listed only";
    console.log(
      `The site is backed up in ${folder}: the database and ${formatQuantity(files.length, "file")}${uploads}.`,
    );
  },
);

/** VACUUM INTO reads one state of the database, whatever is written meanwhile. */
function copyDatabase(from: string, to: string): void {
  const partial = `${to}.partial`;
  fs.rmSync(partial, { force: true });
  const sqlite = openSqlite(from);
  try {
    sqlite.prepare("VACUUM INTO ?").run(partial);
  } finally {
    sqlite.close();
  }
  fs.chmodSync(partial, 0o600);
  fs.renameSync(partial, to);
}

function keep(file: string, content: string | Buffer): void {
  fs.writeFileSync(`${file}.partial`, content, { mode: 0o600 });
  fs.renameSync(`${file}.partial`, file);
}
