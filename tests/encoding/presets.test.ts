import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, workUntilIdle } from "../encode-library";
import { makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";
import { wrapCommand } from "../wrapped-ffmpeg";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ ENCODER_PRESET: "auto" });
});
afterEach(() => site.remove());

it.runIf(ffmpegAvailable())(
  "uses the slower preset only for the last stream in the queue",
  async () => {
    const notes = path.join(site.folder, "commands");
    process.env.PATH = wrapCommand(site.folder, "ffmpeg", [`echo "$*" >> "${notes}"`]);
    const presets = async (prepare: string) => {
      fs.rmSync(notes, { force: true });
      for (const color of ["0x3080c0", "0x3080d0"]) {
        const picture = `color=${color}:size=160x120:rate=25:duration=2`;
        await addToLibrary(
          site.uploads,
          makeClip(site.folder, "video", { videoSource: picture, audio: false }),
          true,
        );
      }
      sqliteHandle().exec(`UPDATE jobs SET state = 'done' WHERE kind <> 'ladder'; ${prepare}`);
      await workUntilIdle();
      const commands = fs.readFileSync(notes, "utf8").split("\n");
      return commands.flatMap((line) =>
        line.includes("hls-") ? [/preset (\w+)/.exec(line)![1]] : [],
      );
    };
    expect(await presets("")).toEqual(["veryfast", "medium"]);
    const awaited = "UPDATE jobs SET priority = 0 WHERE state = 'waiting'";
    expect(await presets(awaited)).toEqual(["veryfast", "veryfast"]);
  },
);
