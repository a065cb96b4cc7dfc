// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** Reloads the modules, as a new page would. */
const load = async () => {
  vi.resetModules();
  const [storage, transfer] = await Promise.all([
    import("~/features/visitor/browser-storage"),
    import("~/features/visitor/transfer"),
  ]);
  transfer.migrateFormerKeys();
  return { ...storage, ...transfer };
};
const stored = () => JSON.parse(localStorage.getItem("visitor") ?? "null");
const throwQuotaError = () => {
  throw new DOMException("full", "QuotaExceededError");
};

beforeEach(() => localStorage.clear());
afterEach(() => vi.restoreAllMocks());

describe("browser storage", () => {
  it("migrates values that earlier versions stored under separate keys", async () => {
    const legacyKeys = {
      "saved-videos": ["b", "a"],
      "watched-videos": ["c"],
      "player:resume": [["d", 30]],
      "player:sound": { volume: 0.5, muted: true },
      "player:speed": 2,
      "player:captions": { label: "English", language: "en" },
      "player:sound-track": { label: "Commentary", language: "en" },
      "player:even-loudness": false,
      "player:mini": true,
      "discreet-titles": true,
      "exit-by-shift": false,
    };
    for (const [key, value] of Object.entries(legacyKeys)) {
      localStorage.setItem(key, JSON.stringify(value));
    }
    localStorage.setItem("tus::1", "kept");
    const { readStored } = await load();
    expect(readStored("saved")).toEqual(["b", "a"]);
    expect(stored()).toEqual({
      version: 1,
      saved: ["b", "a"],
      watched: ["c"],
      resume: [["d", 30]],
      volume: { volume: 0.5, muted: true },
      speed: 2,
      captions: { label: "English", language: "en" },
      audioTrack: { label: "Commentary", language: "en" },
      evenLoudness: false,
      miniPlayer: true,
      discreetTitles: true,
      exitByShift: false,
    });
    expect(Object.keys(localStorage).sort()).toEqual(["tus::1", "visitor"]);
  });

  it("merges values written by a tab running an earlier version, without replacing newer values", async () => {
    localStorage.setItem(
      "visitor",
      '{"version":1,"saved":["b"],"resume":[["x",50]],"speed":1,"unknown":7}',
    );
    localStorage.setItem("saved-videos", '["c","b"]');
    localStorage.setItem("player:resume", '[["x",20],["y",30]]');
    localStorage.setItem("player:speed", "2");
    localStorage.setItem("watched-videos", "{");
    const { readStored } = await load();
    expect(readStored("saved")).toEqual(["b", "c"]);
    expect(stored()).toEqual({
      version: 1,
      saved: ["b", "c"],
      resume: [
        ["x", 50],
        ["y", 30],
      ],
      speed: 1,
      unknown: 7,
    });
  });

  it("keeps the legacy keys if the migrated document doesn't fit", async () => {
    localStorage.setItem("saved-videos", '["a"]');
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(throwQuotaError);
    const { readStored } = await load();
    expect(readStored("saved")).toEqual(["a"]);
    vi.restoreAllMocks();
    expect(localStorage.getItem("saved-videos")).toBe('["a"]');
    await load();
    expect(stored()).toEqual({ version: 1, saved: ["a"] });
    expect(localStorage.getItem("saved-videos")).toBeNull();
  });

  it.each(["", "{", "null", "7", "[]", '"x"', '{"saved":{"a":1},"speed":'])(
    "is treated as empty, and then overwritten, if it contains %s",
    async (text) => {
      localStorage.setItem("visitor", text);
      const { readStored, writeStored } = await load();
      expect(readStored("saved")).toBeUndefined();
      expect(writeStored("speed", 2)).toBe(true);
      expect(stored()).toEqual({ version: 1, speed: 2 });
    },
  );

  it("changes only the written field when two tabs write alternately", async () => {
    const firstTab = await load();
    const secondTab = await load();
    firstTab.writeStored("speed", 2);
    secondTab.writeStored("captions", { label: "English" });
    firstTab.writeStored("volume", { volume: 1, muted: false });
    secondTab.writeStored("speed", 1);
    expect(stored()).toEqual({
      version: 1,
      speed: 1,
      captions: { label: "English" },
      volume: { volume: 1, muted: false },
    });
  });

  it("keeps a failed write until there is space, and merges it with another tab's writes", async () => {
    const { readStored, writeStored } = await load();
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(throwQuotaError);
    expect(writeStored("saved", ["a"])).toBe(false);
    vi.restoreAllMocks();
    localStorage.setItem("visitor", '{"speed":2}');
    expect([readStored("saved"), readStored("speed")]).toEqual([["a"], 2]);
    expect(writeStored("exitByShift", false)).toBe(true);
    expect(stored()).toEqual({ version: 1, saved: ["a"], speed: 2, exitByShift: false });
  });

  it("clears all data, including the data of the current tab", async () => {
    const storage = await load();
    storage.writeStored("saved", ["a"]);
    storage.tabStorage.write("surprises", { seed: 1 });
    expect(storage.storedFields()).toEqual({ saved: ["a"] });
    storage.clearBrowserStorage();
    expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
    expect([storage.readStored("saved"), storage.tabStorage.read("surprises")]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("imports fields from another browser, and adds only the missing entries to lists", async () => {
    const { addStoredFields, writeStored } = await load();
    writeStored("resume", [["a", 10]]);
    writeStored("exitByShift", true);
    const resume = [
      ["a", 99],
      ["b", 20],
    ];
    addStoredFields({ resume, exitByShift: false, nonsense: 1 });
    expect(stored()).toEqual({
      version: 1,
      resume: [
        ["a", 10],
        ["b", 20],
      ],
      exitByShift: false,
    });
  });
});
