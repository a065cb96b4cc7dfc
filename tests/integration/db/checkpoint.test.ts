import fs from "node:fs";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settings } from "~/server/settings.server";
import { sqliteHandle } from "~db/client.server";
import { startCheckpoints } from "~db/threads/checkpoint.server";
import { until } from "../../process-figures";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

/** How many videos the database file has without its log. */
function videosInTheFile(): number {
  const copy = `${site.folder}/copy.sqlite`;
  for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(copy + suffix, { force: true });
  fs.copyFileSync(settings().databasePath, copy);
  const sqlite = new Sqlite(copy);
  try {
    return sqlite.prepare("SELECT count(*) FROM videos").pluck().get() as number;
  } catch {
    // Not even the table has come out of the log.
    return 0;
  } finally {
    sqlite.close();
  }
}

it("what is written comes from the log into the file, by the thread and not by a statement", async () => {
  const insert = sqliteHandle().prepare(
    "INSERT INTO videos (id, title, category) VALUES (?, 'A title', 'desi')",
  );
  startCheckpoints();
  for (let index = 0; index < 100; index += 1) insert.run(String(index));
  expect(videosInTheFile()).toBe(0);
  await until(() => videosInTheFile() === 100);
  insert.run("100");
  await until(() => videosInTheFile() === 101);
});
