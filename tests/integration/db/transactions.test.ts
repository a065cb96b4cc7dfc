import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { recordActivity } from "~/platform/activity/activity.server";
import {
  database,
  disableBusyTimeout,
  sqliteHandle,
  transaction,
  tryWriteTransaction,
} from "~db/client.server";
import { allRows, firstRow, runChange } from "~db/run-query.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(async () => {
  site = useTemporarySite();
  await database().selectFrom("videos").select("id").execute();
});
afterEach(() => site.remove());

const insert = (id: string) =>
  runChange(
    database()
      .insertInto("videos")
      .values({ id, title: `Video ${id}`, category: "desi" }),
  );
const ids = () => sqliteHandle().prepare("SELECT id FROM videos ORDER BY id").pluck().all();

describe("a transaction", () => {
  it("returns its callback's result, and runs queries that Kysely builds", async () => {
    const found = await transaction(() => {
      expect(insert("a") + insert("b")).toBe(2);
      const query = database().selectFrom("videos").select("id").orderBy("id");
      return [allRows(query), firstRow(query), firstRow(query.where("id", "=", "x"))];
    });
    expect(found).toEqual([[{ id: "a" }, { id: "b" }], { id: "a" }, undefined]);
    expect(ids()).toEqual(["a", "b"]);
  });

  it("is rolled back if its callback throws", async () => {
    const failing = transaction(() => {
      insert("a");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect([ids(), sqliteHandle().inTransaction]).toEqual([[], false]);
  });

  it.each([
    ["another transaction", () => void transaction(() => insert("b"))],
    ["a transaction that doesn't wait", () => void tryWriteTransaction(() => insert("b"))],
  ])("rejects %s inside it, and is rolled back", async (_, begin) => {
    const nested = transaction(() => {
      insert("a");
      begin();
    });
    await expect(nested).rejects.toThrow("A transaction is open.");
    expect([ids(), sqliteHandle().inTransaction]).toEqual([[], false]);
  });

  it("rejects an asynchronous query inside it", async () => {
    let query: Promise<unknown> = Promise.resolve();
    await transaction(() => {
      query = database().selectFrom("videos").select("id").execute();
      query.catch(() => undefined);
    });
    await expect(query).rejects.toThrow("A transaction is open.");
  });

  it("rejects an async callback, and rolls back its changes", async () => {
    // @ts-expect-error The types reject it too.
    const asynchronous = transaction(async () => {
      insert("a");
    });
    await expect(asynchronous).rejects.toThrow("cannot return a promise");
    expect(ids()).toEqual([]);
  });

  it("can't be started through Kysely", async () => {
    const work = vi.fn();
    await expect(database().transaction().execute(work)).rejects.toThrow(
      "transactions aren't supported",
    );
    expect(work).not.toHaveBeenCalled();
  });

  it("is required by functions that must run inside a transaction", () => {
    expect(() => insert("a")).toThrow("Call this in a transaction.");
    expect(() => recordActivity({ userId: null, action: "edit" })).toThrow("in a transaction");
  });
});

describe("while another process holds the write lock", () => {
  let holder: ChildProcess;

  beforeEach(async () => {
    disableBusyTimeout();
    const sqlite = createRequire(import.meta.url).resolve("better-sqlite3");
    const script = `
      const db = require(${JSON.stringify(sqlite)})(${JSON.stringify(sqliteHandle().name)});
      db.exec("BEGIN IMMEDIATE");
      console.log("locked");
      setInterval(() => {}, 1000);`;
    holder = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    await once(holder.stdout!, "data");
  });
  afterEach(release);

  async function release(): Promise<void> {
    if (holder.exitCode !== null || holder.signalCode) return;
    const ended = once(holder, "exit");
    holder.kill("SIGKILL");
    await ended;
  }

  it("a transaction waits for the lock without blocking the thread", async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
      if (ticks === 10) void release();
    }, 10);
    await transaction(() => insert("a"));
    clearInterval(timer);
    expect(ticks).toBeGreaterThanOrEqual(10);
    expect(ids()).toEqual(["a"]);
  });

  it("a transaction fails after 2 seconds with an error that names the other process", async () => {
    const logged = vi.spyOn(console, "warn").mockImplementation(() => {});
    const name =
      process.platform === "linux"
        ? `${process.execPath} -e .*\\(process ${holder.pid}\\)`
        : "Another process";
    const message = new RegExp(`^${name} is writing to the database\\.`, "s");
    const work = vi.fn(() => insert("a"));
    await expect(transaction(work)).rejects.toThrow(message);
    await expect(database().deleteFrom("activities").where("id", "=", 1).execute()).rejects.toThrow(
      message,
    );
    expect(work).not.toHaveBeenCalled();
    expect(logged.mock.calls).toEqual([
      [expect.stringMatching(message)],
      [expect.stringMatching(message)],
    ]);
    logged.mockRestore();
    await release();
    await transaction(work);
    expect(ids()).toEqual(["a"]);
  });

  it("a transaction that isn't allowed to wait returns immediately", () => {
    expect(tryWriteTransaction(() => insert("a"))).toBe(false);
    expect(ids()).toEqual([]);
  });
});
