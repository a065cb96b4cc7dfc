import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mp4Clip } from "../clips";
import { SiteProcess } from "../site-process";
import { check } from "./crash/checks";
import { crash } from "./crash/crash";
import { texts, type Video } from "./crash/model";

const KILLS = 4;

it("keeps every acknowledged change when the site is killed", async () => {
  expect(await crash("npm test", KILLS)).toEqual([]);
}, 180_000);

describe("check", () => {
  const bytes = fs.readFileSync(mp4Clip(1, "128x72"));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  let site: SiteProcess;
  let video: Video;
  let file: string;
  beforeEach(async () => {
    site = new SiteProcess();
    await site.start({ ENCODER_CONCURRENCY: "0" });
    const video_url = site.addFile("videos", "u/1795000000001.mp4", bytes);
    const id = site.addVideo({ ...texts("word", 1), video_url });
    file = path.join(site.uploads, "videos/u/1795000000001.mp4");
    const state = { at: "catalogue" as const, isPublic: true, publishAt: null };
    video = { word: "word", id, sha256, frames: 25, allowed: [{ ...texts("word", 1), ...state }] };
  });
  afterEach(() => site.remove());
  const found = async () => (await check({ site }, [video])).join("\n");

  it("finds no faults if the site matches the model", async () => {
    expect(await found()).toBe("");
  });

  it("finds a file that is missing, truncated or not referenced by any row", async () => {
    fs.writeFileSync(path.join(site.uploads, "videos/u/1795000000002.mp4"), "a stray");
    fs.truncateSync(file, Math.floor(bytes.length / 2));
    const faults = await found();
    expect(faults).toContain("as served: expected 25 frames");
    expect(faults).toContain("videos/u/1795000000002.mp4 belongs to no row");
    fs.rmSync(file);
    expect(await found()).toContain("/media/videos/u/1795000000001.mp4 is missing or empty");
  });

  it("finds a lost change and an unexpected row", async () => {
    video.allowed = [{ ...video.allowed[0]!, ...texts("word", 2) }];
    site.addVideo({ title: "Unexpected", video_url: "" });
    const faults = await found();
    expect(faults).toMatch(/^word is catalogue, "word version 1".+ allowed: .+"word version 2"/m);
    expect(faults).toContain("Unexpected: a row that was never created, or a duplicate");
  });

  it("finds a hidden video whose file is still served", async () => {
    const shown = site.addVideo({ title: "Shown", video_url: `/media/videos/u/1795000000001.mp4` });
    site.database().exec(`UPDATE videos SET status = 'hidden' WHERE id = '${video.id}'`);
    video.allowed = [{ ...video.allowed[0]!, isPublic: false }];
    // A public video uses the same file.
    const faults = await found();
    expect(faults).toMatch(/word version 1 is hidden, but \/media\/videos\/\S+ returns 200/);
    site.database().exec(`DELETE FROM videos WHERE id = '${shown}'`);
    expect(await found()).toBe("");
  });
});
