import { describe, expect, it } from "vitest";
import { NO_TEXTS } from "~/features/upload/upload-fields";
import {
  canBeSent,
  fileError,
  isUnderWay,
  nextToSend,
  onArrival,
  type QueueItem,
  reduceQueue,
  textsFor,
  throughputMeter,
  timeLeft,
} from "~/features/upload/upload-queue";
import { titleFromFileName } from "~/shared/file-title";

const TEXTS = NO_TEXTS;
const item = (key: string, more: Partial<QueueItem> = {}): QueueItem => ({
  key,
  file: new File([], `${key}.mp4`),
  own: TEXTS,
  state: "chosen",
  sentBytes: 0,
  bytesPerSecond: 0,
  ...more,
});

describe("the upload queue", () => {
  it("adds, changes and removes files by key without affecting others", () => {
    const [a, b] = [item("a"), item("b")];
    const added = reduceQueue([a], { type: "add", items: [b] });
    expect(added).toEqual([a, b]);
    const patched = reduceQueue(added, { type: "patch", key: "b", patch: { state: "sending" } });
    expect(patched[0]).toBe(a);
    expect(patched[1]).toEqual({ ...b, state: "sending" });
    const named = reduceQueue(patched, { type: "own", key: "a", own: { title: "Mine" } });
    expect(named[0]?.own).toEqual({ ...TEXTS, title: "Mine" });
    expect(reduceQueue(named, { type: "remove", keys: ["a", "none"] })).toEqual([patched[1]]);
  });

  it("sends one file at a time, in order", () => {
    const waiting = [item("a", { state: "done" }), item("b", { state: "waiting" })];
    expect(nextToSend(waiting)?.key).toBe("b");
    for (const state of ["sending", "publishing"] as const) {
      expect(nextToSend([...waiting, item("c", { state })])).toBeUndefined();
    }
    expect(nextToSend([item("c", { state: "paused" }), ...waiting])?.key).toBe("b");
    expect(nextToSend([])).toBeUndefined();
  });

  it("warns before the page is left, but only while something would be lost", () => {
    const states = ["waiting", "sending", "paused", "publishing"] as const;
    expect(states.every((state) => isUnderWay(item("a", { state })))).toBe(true);
    const rest = ["chosen", "duplicate", "failed", "done"] as const;
    expect(rest.some((state) => isUnderWay(item("a", { state })))).toBe(false);
  });

  it("retries files that failed for a reason that editing the form can fix", () => {
    const sent = { texts: TEXTS, intent: "publish" as const };
    expect(canBeSent(item("a"))).toBe(true);
    expect(canBeSent(item("a", { state: "failed", sent }))).toBe(true);
    expect(canBeSent(item("a", { state: "failed" }))).toBe(false);
    expect(canBeSent(item("a", { state: "failed", sent, unrecoverable: true }))).toBe(false);
    expect(canBeSent(item("a", { state: "done", sent }))).toBe(false);
  });
});

describe("the data sent with a file", () => {
  it.each([
    ["a_walk-at.night.mp4", "A walk at night"],
    ["Holiday.MOV", "Holiday"],
    ["été à Nice.webm", "Été à Nice"],
    ["no ending", "No ending"],
    ["  ___.mp4", ""],
    ["archive.tar.gz", "Archive tar"],
  ])("for the file name %s contains the title %s", (name, title) => {
    expect(titleFromFileName(name)).toBe(title);
  });

  it("prefers the file's own fields to the form's", () => {
    const form = {
      title: "Form",
      description: "For all",
      category: "desi",
      tags: "x",
      duration: "",
      publishAt: "2030-01-01T12:00:00.000Z",
      unpublishAt: "",
    };
    const own = { ...TEXTS, category: "english", duration: "1:00" };
    const several = textsFor(item("my_video", { own }), form, true);
    expect(several).toEqual({
      title: "My video",
      description: "For all",
      category: "english",
      tags: "x",
      duration: "1:00",
      publishAt: "2030-01-01T12:00:00.000Z",
      unpublishAt: "",
    });
    expect(textsFor(item("my_video", { own }), form, false).title).toBe("Form");
    const timed = { ...form, duration: "9:59" };
    expect(textsFor(item("a", { own }), timed, false).duration).toBe("9:59");
    expect(textsFor(item("a", { own }), timed, true).duration).toBe("1:00");
  });

  it("requests immediate publication if the time to publish passed during the upload", () => {
    const texts = { ...TEXTS, title: "A", publishAt: "2030-01-01T12:00:00.000Z" };
    const sent = { texts, intent: "draft" as const };
    const at = Date.parse(texts.publishAt);
    expect(onArrival(sent, at - 1)).toEqual(sent);
    expect(onArrival(sent, at)).toEqual({ texts: { ...texts, publishAt: "" }, intent: "publish" });
    const untimed = { texts: TEXTS, intent: "draft" as const };
    expect(onArrival(untimed, at)).toEqual(untimed);
  });

  it("is rejected before the transfer if it isn't a video or is too large", () => {
    const limits = { maxVideoBytes: 1024, maxThumbnailBytes: 10 };
    const file = (name: string, type: string, size = 10) => ({ name, type, size });
    expect(fileError(file("a.mp4", "video/mp4"), limits)).toBeUndefined();
    expect(fileError(file("a.mkv", ""), limits)).toBeUndefined();
    expect(fileError(file("a.mp4", "video/mp4", 1024), limits)).toBeUndefined();
    expect(fileError(file("a.mp4", "video/mp4", 1025), limits)).toMatch(/larger than 1KB/);
    expect(fileError(file("a.txt", "text/plain"), limits)).toBe("This file is not a video.");
    expect(fileError(file("mp4", ""), limits)).toBe("This file is not a video.");
    expect(fileError(file("a.mp4", "video/mp4", 0), limits)).toBe("This file is empty.");
  });
});

describe("upload progress", () => {
  it("shows the speed of the last few seconds", () => {
    let at = 0;
    const measure = throughputMeter(() => at);
    expect(measure(0)).toBe(0);
    at = 1_000;
    expect(measure(500)).toBe(500);
    at = 2_000;
    expect(measure(2_000)).toBe(1_000);
    // The offset restarted after an interruption, but the speed is never negative.
    at = 2_500;
    expect(measure(0)).toBe(0);
    for (let second = 3; second <= 20; second += 1) {
      at = second * 1_000;
      measure((second - 3) * 100);
    }
    at = 21_000;
    expect(measure(1_800)).toBeCloseTo(100, 5);
  });

  it.each([
    [0, 10, "1 s"],
    [80, 10, "8 s"],
    [591, 10, "1 min 0 s"],
    [2_000, 10, "3 min 20 s"],
    [36_000, 10, "1 h 0 min"],
    [39_000, 10, "1 h 5 min"],
  ])(
    "estimates the remaining time for %i bytes at %i bytes per second as %s",
    (bytes, speed, remaining) => {
      expect(timeLeft(bytes, speed)).toBe(remaining);
    },
  );

  it("doesn't show the remaining time while no data is being transferred", () => {
    expect(timeLeft(100, 0)).toBeUndefined();
  });
});
