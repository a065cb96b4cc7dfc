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

it("kills the site while it works, and it has what it has answered", async () => {
  expect(await crash("npm test", KILLS)).toEqual([]);
}, 180_000);

describe("what is compared after a kill", () => {
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

  it("is as it was answered, and finds nothing", async () => {
    expect(await found()).toBe("");
  });

  it("is not where a file is missing, cut off, or of no row", async () => {
    fs.writeFileSync(path.join(site.uploads, "videos/u/1795000000002.mp4"), "left over");
    fs.truncateSync(file, Math.floor(bytes.length / 2));
    const faults = await found();
    expect(faults).toContain("answers: expected 25 frames");
    expect(faults).toContain("videos/u/1795000000002.mp4 belongs to no row");
    fs.rmSync(file);
    expect(await found()).toContain("/media/videos/u/1795000000001.mp4 is missing or empty");
  });

  it("is not where a change is lost, or a row is there that nobody made", async () => {
    video.allowed = [{ ...video.allowed[0]!, ...texts("word", 2) }];
    site.addVideo({ title: "Nobody's", video_url: "" });
    const faults = await found();
    expect(faults).toMatch(/^word is catalogue, "word version 1".+ allowed: .+"word version 2"/m);
    expect(faults).toContain("Nobody's: there is a row that nobody made");
  });

  it("is not where what is hidden can be had", async () => {
    const shown = site.addVideo({ title: "Shown", video_url: `/media/videos/u/1795000000001.mp4` });
    site.database().exec(`UPDATE videos SET status = 'hidden' WHERE id = '${video.id}'`);
    video.allowed = [{ ...video.allowed[0]!, isPublic: false }];
    // Another row has the same file: whoever may see that one is answered.
    const faults = await found();
    expect(faults).toMatch(/word version 1 is hidden, and \/media\/videos\/\S+ answers 200/);
    site.database().exec(`DELETE FROM videos WHERE id = '${shown}'`);
    expect(await found()).toBe("");
  });
});
