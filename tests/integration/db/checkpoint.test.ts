import fs from "node:fs";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetSettings, settings } from "~/platform/settings.server";
import { openSqlite, sqliteHandle } from "~db/client.server";
import { createWriteYielder, startCheckpoints } from "~db/threads/checkpoint.server";
import { queryThread } from "~db/threads/query-thread.server";
import { until } from "../../process-figures";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

/** Returns the number of videos in the database file, ignoring its write-ahead log. */
function videosInTheFile(): number {
  const copy = `${site.folder}/copy.sqlite`;
  for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(copy + suffix, { force: true });
  fs.copyFileSync(settings().databasePath, copy);
  const sqlite = new Sqlite(copy);
  try {
    return sqlite.prepare("SELECT count(*) FROM videos").pluck().get() as number;
  } catch {
    // The file doesn't even contain the `videos` table yet.
    return 0;
  } finally {
    sqlite.close();
  }
}

it("runs checkpoints in the worker thread instead of inside a statement", async () => {
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

/** Writes many rows in transactions of 50. */
async function writeMany(rows: number): Promise<void> {
  const sqlite = sqliteHandle();
  // Disable SQLite's automatic checkpoints, which would run within statements.
  sqlite.pragma("wal_autocheckpoint = 0");
  const insert = sqlite.prepare(
    "INSERT INTO videos (id, title, category) VALUES (?, 'A title', 'desi')",
  );
  const yieldIfDue = createWriteYielder();
  for (let first = 0; first < rows; first += 50) {
    sqlite.transaction(() => {
      for (let at = first; at < first + 50; at += 1) insert.run(String(at));
    })();
    await yieldIfDue();
  }
}

it("keeps the write-ahead log short during long-running writes", async () => {
  await writeMany(1_600);
  expect(videosInTheFile()).toBeGreaterThan(500);
});

describe("with Litestream", () => {
  /** Waits until the timer has fired and the tasks that it started in the worker thread have finished. */
  async function afterTicks(): Promise<void> {
    await vi.advanceTimersByTimeAsync(3_000);
    await queryThread("writing", "project", {});
  }
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it.each(["on", "its tables"])("doesn't run checkpoints (%s)", async (how) => {
    if (how === "on") {
      process.env.LITESTREAM = "on";
      forgetSettings();
    }
    const sqlite = sqliteHandle();
    startCheckpoints();
    if (how !== "on") sqlite.exec("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY)");
    await afterTicks();
    const before = videosInTheFile();
    sqlite.exec("INSERT INTO videos (id, title, category) VALUES ('v', 'A title', 'desi')");
    await afterTicks();
    expect(videosInTheFile()).toBe(before);
    expect(sqlite.pragma("wal_autocheckpoint", { simple: true })).toBe(0);
    const another = openSqlite(settings().databasePath);
    expect(another.pragma("wal_autocheckpoint", { simple: true })).toBe(0);
    another.close();
  });

  it("doesn't run checkpoints during long-running writes", async () => {
    process.env.LITESTREAM = "on";
    forgetSettings();
    await writeMany(1_600);
    expect(videosInTheFile()).toBe(0);
  });

  it("runs checkpoints if Litestream has stopped, and logs this only once", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    process.env.LITESTREAM = "on";
    forgetSettings();
    startCheckpoints(4096);
    for (const id of ["a", "b"]) {
      sqliteHandle()
        .prepare("INSERT INTO videos (id, title, category) VALUES (?, 'A title', 'desi')")
        .run(id);
      await afterTicks();
    }
    expect(videosInTheFile()).toBe(2);
    expect(logged.mock.calls).toEqual([[expect.stringContaining("Litestream isn't running")]]);
  });
});
