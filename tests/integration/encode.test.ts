import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/ffmpeg.server";
import { enqueueFor } from "~/media/jobs/enqueue.server";
import { startRunner } from "~/media/jobs/runner.server";
import { database, sqliteHandle } from "~db/client.server";
import { makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ ENCODER_PRESET: "ultrafast" });
});
afterEach(() => site.remove());

describe.runIf(ffmpegAvailable())("from a file to a stream", () => {
  it("works", async () => {
    const clip = makeClip(site.folder, "x", {
      as: "avi",
      size: "1280x720",
      seconds: 10,
      video: ["mpeg4"],
    });
    fs.mkdirSync(path.join(site.uploads, "videos/u"), { recursive: true });
    fs.copyFileSync(clip, path.join(site.uploads, "videos/u/17.avi"));
    const { id } = await database()
      .insertInto("videos")
      .values({ title: "A", category: "desi", video_url: "", source_url: "/media/videos/u/17.avi" })
      .returning("id")
      .executeTakeFirstOrThrow();
    await enqueueFor(id);
    const runner = startRunner(1);
    await runner.idle();
    await runner.stop();
    console.log(
      sqliteHandle().prepare("select * from jobs").all(),
      sqliteHandle().prepare("select * from videos").all(),
    );
    fs.cpSync(site.uploads, "/tmp/enc/up", { recursive: true });
    expect(1).toBe(1);
  });
});
