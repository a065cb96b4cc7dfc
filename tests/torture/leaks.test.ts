import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runHidden } from "./leaks/hidden-run";
import { runFrames } from "./leaks/marked-frames";
import { marksIn, marksOf, newMark, searchFolder } from "./leaks/marks";
import { runVisitor } from "./leaks/visitor-run";
import { createRandom } from "./random";

/** The fraction of a full run's requests that these tests send. */
const SHARE = 0.04;

it("doesn't write any visitor data to the disk or the log", async () => {
  const { faults, figures } = await runVisitor("npm test", "json", SHARE);
  expect(faults).toEqual([]);
  expect(figures.requests).toBeGreaterThan(200);
}, 180_000);

it("doesn't reveal hidden videos at any URL, in any list or in any event", async () => {
  const { faults, requests } = await runHidden("npm test", {
    states: ["hidden", "draft"],
    share: SHARE,
  });
  expect(faults).toEqual([]);
  expect(requests).toBeGreaterThan(500);
}, 180_000);

it("reports a video that is still public although it should be hidden", async () => {
  const { faults } = await runHidden("npm test", {
    states: ["hidden"],
    share: 0,
    keepPublic: "hidden",
  });
  const all = faults.join("\n");
  expect(all).toMatch(/^hidden: GET \/video\/\w{32} \{\} differs from a video that never existed/m);
  expect(all).toMatch(
    /^hidden: GET \/media\/videos\/u\/\d+\.mp4 \{\} differs from a video that never existed/m,
  );
  expect(all).toMatch(/^\/feed\.xml reveals hidden \(plain\)$/m);
  expect(all).toMatch(/^\/search\/suggestions\?q=\w reveals/m);
  expect(all).toMatch(/^\/events notified a visitor about hidden videos/m);
}, 180_000);

it("finds no images of hidden videos, and reports images if a hidden video is still public", async () => {
  const { faults, media } = await runFrames();
  expect(faults).toEqual([]);
  expect(media).toBeGreaterThan(8);
  const all = (await runFrames({ keepPublic: true })).faults.join("\n");
  expect(all).toMatch(/^\/media\/thumbnails\/\S+ shows the mark of a hidden video$/m);
  expect(all).toMatch(/^\/media\/videos\/\S+ of a hidden video returns 200$/m);
}, 180_000);

describe("marksIn and searchFolder", () => {
  const word = newMark(createRandom("planted"));
  const marks = marksOf(new Map([["agent", word]]));
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "leaks-"));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  it.each([
    ["plain", (text: string) => Buffer.from(text)],
    ["upper case", (text: string) => Buffer.from(text.toUpperCase())],
    ["hex", (text: string) => Buffer.from(Buffer.from(text).toString("hex"))],
    ["UTF-16LE", (text: string) => Buffer.from(text, "utf16le")],
    ["UTF-16LE backwards", (text: string) => Buffer.from(text, "utf16le").reverse()],
    ["UTF-16BE", (text: string) => Buffer.from(text, "utf16le").swap16()],
  ])("find a marker written as %s within other text", (form, write) => {
    expect(
      marksIn(marks, Buffer.concat([write("before "), write(word), write(" after")])),
    ).toContain(`agent (${form})`);
  });

  it("find a marker in base64 at any offset", () => {
    for (const before of ["", "a", "ab", "abc"]) {
      const text = Buffer.from(`${before}${word} and more`).toString("base64");
      expect(marksIn(marks, Buffer.from(text)).join(), before).toContain("base64");
    }
  });

  it("find a marker in a logged URL, a file name, a database and its write-ahead log", () => {
    fs.writeFileSync(path.join(folder, `${word}.tmp`), "");
    fs.writeFileSync(path.join(folder, "access.log"), `GET /?q=%22${word}%22`);
    const sqlite = new Sqlite(path.join(folder, "site.sqlite"));
    sqlite.pragma("journal_mode = WAL");
    sqlite.exec(`CREATE TABLE visits (agent TEXT); INSERT INTO visits VALUES ('${word}')`);
    const { found, bytes } = searchFolder(marks, folder);
    sqlite.close();
    expect(found).toContain(`agent (plain) is in the name ${word}.tmp`);
    expect(found).toContain("agent (plain) is in access.log");
    expect(found).toContain("agent (plain) is in site.sqlite-wal");
    expect(bytes).toBeGreaterThan(4_096);
  });

  it("find nothing if there is no marker", () => {
    fs.writeFileSync(path.join(folder, "access.log"), "GET / 200 - 1.0 ms");
    expect(searchFolder(marks, folder).found).toEqual([]);
  });
});
