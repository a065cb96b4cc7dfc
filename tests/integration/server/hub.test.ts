import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { announceStudioChange, type Change, subscribe } from "~/platform/live/hub.server";
import { openSqlite, sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
let changes: Change[];
let unsubscribe: () => void;

beforeEach(() => {
  site = useTemporarySite();
  sqliteHandle().exec("INSERT INTO videos (id, title, category) VALUES ('v', 'A', 'desi')");
  vi.useFakeTimers();
  changes = [];
  unsubscribe = subscribe((change) => changes.push(change));
});
afterEach(async () => {
  unsubscribe();
  vi.useRealTimers();
  await site.remove();
});

const topics = () => changes.map(({ topic }) => topic);
const insert = () =>
  sqliteHandle().exec("INSERT INTO videos (title, category) VALUES ('B', 'desi')");
const view = () => sqliteHandle().exec("UPDATE videos SET views = views + 1 WHERE id = 'v'");

describe("the hub", () => {
  it("doesn't announce anything while nothing changes", () => {
    vi.advanceTimersByTime(60_000);
    expect(changes).toEqual([]);
  });

  it.each([
    ["an insert", "INSERT INTO videos (title, category) VALUES ('B', 'desi')"],
    ["an update", "UPDATE videos SET title = 'C' WHERE id = 'v'"],
    ["hiding", "UPDATE videos SET status = 'hidden' WHERE id = 'v'"],
    ["a delete", "DELETE FROM videos WHERE id = 'v'"],
  ])("announces %s within 700 ms", (_, sql) => {
    sqliteHandle().exec(sql);
    vi.advanceTimersByTime(700);
    expect(topics()).toEqual(["catalogue"]);
  });

  it.each([
    ["an insert", "INSERT INTO videos (title, category, status) VALUES ('D', 'desi', 'hidden')"],
    ["an update", "UPDATE videos SET title = 'C' WHERE id = 'hidden'"],
    ["a delete", "DELETE FROM videos WHERE id = 'hidden'"],
  ])("announces %s of a hidden video only to the studio", (_, sql) => {
    const hidden =
      "INSERT INTO videos (id, title, category, status) VALUES ('hidden', 'B', 'desi', 'hidden')";
    sqliteHandle().exec(hidden);
    vi.advanceTimersByTime(3_000);
    changes.length = 0;
    sqliteHandle().exec(sql);
    vi.advanceTimersByTime(60_000);
    expect(topics()).toEqual(["jobs"]);
  });

  it("doesn't announce anything if only a hidden video's views increase", () => {
    sqliteHandle().exec("UPDATE videos SET status = 'hidden' WHERE id = 'v'");
    vi.advanceTimersByTime(60_000);
    changes.length = 0;
    view();
    vi.advanceTimersByTime(60_000);
    expect(topics()).toEqual([]);
  });

  it("announces changes made through another database connection", () => {
    const other = openSqlite(sqliteHandle().name);
    other.exec("INSERT INTO videos (title, category) VALUES ('B', 'desi')");
    other.close();
    vi.advanceTimersByTime(700);
    expect(topics()).toEqual(["catalogue"]);
  });

  it("announces a burst of changes once, with the final version", () => {
    vi.advanceTimersByTime(1_000);
    for (let index = 0; index < 6; index++) {
      insert();
      vi.advanceTimersByTime(50);
    }
    vi.advanceTimersByTime(2_000);
    expect(topics()).toEqual(["catalogue"]);
    expect(changes[0]!.version.studio).toBe(
      sqliteHandle().prepare("SELECT catalogue FROM catalogue_version").pluck().get(),
    );
  });

  it("announces continuous changes at regular intervals", () => {
    for (let index = 0; index < 100; index++) {
      insert();
      vi.advanceTimersByTime(50);
    }
    expect(changes.length).toBeGreaterThanOrEqual(5);
    expect(changes.length).toBeLessThanOrEqual(12);
  });

  it("announces view counts at most every 15 s", () => {
    for (let second = 0; second < 60; second++) {
      view();
      vi.advanceTimersByTime(1_000);
    }
    expect(new Set(topics())).toEqual(new Set(["views"]));
    expect(changes.length).toBeGreaterThanOrEqual(3);
    expect(changes.length).toBeLessThanOrEqual(4);
  });

  it("announces a catalogue change immediately, even right after it has announced view counts", () => {
    view();
    vi.advanceTimersByTime(16_000);
    insert();
    vi.advanceTimersByTime(700);
    expect(topics()).toEqual(["views", "catalogue"]);
  });

  it("announces the progress of jobs at most once per second", () => {
    for (let index = 0; index < 50; index++) {
      announceStudioChange();
      vi.advanceTimersByTime(100);
    }
    expect(new Set(topics())).toEqual(new Set(["jobs"]));
    expect(changes.length).toBeLessThanOrEqual(5);
  });

  it("doesn't poll without listeners, and doesn't announce past changes to a new listener", () => {
    unsubscribe();
    expect(vi.getTimerCount()).toBe(0);
    insert();
    unsubscribe = subscribe((change) => changes.push(change));
    vi.advanceTimersByTime(2_000);
    expect(changes).toEqual([]);
  });
});
