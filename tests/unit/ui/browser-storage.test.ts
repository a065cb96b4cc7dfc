// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** The module as a page loads it. */
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
const refuse = () => {
  throw new DOMException("full", "QuotaExceededError");
};

beforeEach(() => localStorage.clear());
afterEach(() => vi.restoreAllMocks());

describe("the document of a browser's storage", () => {
  it("takes over what earlier versions stored under a key for each value", async () => {
    const former = {
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
    for (const [key, value] of Object.entries(former)) {
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

  it("adds what a tab of an earlier version stored later, and keeps what is newer", async () => {
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

  it("loses nothing when there is no room to take it over", async () => {
    localStorage.setItem("saved-videos", '["a"]');
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(refuse);
    const { readStored } = await load();
    expect(readStored("saved")).toEqual(["a"]);
    vi.restoreAllMocks();
    expect(localStorage.getItem("saved-videos")).toBe('["a"]');
    await load();
    expect(stored()).toEqual({ version: 1, saved: ["a"] });
    expect(localStorage.getItem("saved-videos")).toBeNull();
  });

  it.each(["", "{", "null", "7", "[]", '"x"', '{"saved":{"a":1},"speed":'])(
    "is empty where %s is stored, and written anew",
    async (text) => {
      localStorage.setItem("visitor", text);
      const { readStored, writeStored } = await load();
      expect(readStored("saved")).toBeUndefined();
      expect(writeStored("speed", 2)).toBe(true);
      expect(stored()).toEqual({ version: 1, speed: 2 });
    },
  );

  it("changes one field of what two tabs have written by turns", async () => {
    const one = await load();
    const other = await load();
    one.writeStored("speed", 2);
    other.writeStored("captions", { label: "English" });
    one.writeStored("volume", { volume: 1, muted: false });
    other.writeStored("speed", 1);
    expect(stored()).toEqual({
      version: 1,
      speed: 1,
      captions: { label: "English" },
      volume: { volume: 1, muted: false },
    });
  });

  it("keeps what is refused until there is room, beside what another tab writes", async () => {
    const { readStored, writeStored } = await load();
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(refuse);
    expect(writeStored("saved", ["a"])).toBe(false);
    vi.restoreAllMocks();
    localStorage.setItem("visitor", '{"speed":2}');
    expect([readStored("saved"), readStored("speed")]).toEqual([["a"], 2]);
    expect(writeStored("exitByShift", false)).toBe(true);
    expect(stored()).toEqual({ version: 1, saved: ["a"], speed: 2, exitByShift: false });
  });

  it("is cleared as a whole, with what belongs to the tab", async () => {
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

  it("takes fields of another browser, of lists what is missing", async () => {
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
