import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { analyse, renditionsFor } from "~/media/encode/renditions.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, onDisk, videoRow, workOn, workUntilIdle } from "../encode-library";
import { makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";
import { wrapProgram } from "../wrapped-ffmpeg";

const SIZE = "size=640x360:rate=25:duration=2";
/** A square that moves over a plain ground, and a plain ground in noise. */
const DRAWN = `color=0x3080c0:${SIZE}[sky];color=yellow:size=90x90:rate=25[sun];[sky][sun]overlay=x='20+4*n':y=90:shortest=1`;
const GRAIN = `color=gray:${SIZE},noise=alls=40:allf=t:all_seed=3`;
const FIXED = ["144p", "240p", "360p"];

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ ENCODER_PRESET: "auto" });
});
afterEach(() => site.remove());

const film = (name: string, picture: string) =>
  makeClip(site.folder, name, {
    ...{ picture, audio: false },
    video: ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-crf", "8"],
  });

async function analysed(file: string) {
  const [, found, task] = await workOn(file);
  return analyse(file, found, renditionsFor(found.video, 1080), task);
}

const notes = () => path.join(site.folder, "commands");

/** Puts a program before ffmpeg: it does `what` when it is given an analysis, and notes each command. */
function instead(what: string): () => string[] {
  ffmpegAvailable();
  process.env.PATH = wrapProgram(site.folder, "ffmpeg", [
    `echo "$*" >> "${notes()}"`,
    `case "$*" in *ssim@*) ${what};; esac`,
  ]);
  return () => fs.readFileSync(notes(), "utf8").split("\n");
}

/** The value of an option of each rendition, as the ladder was made with. */
function optionsOf(commands: string[], option: string): string[] {
  const ladder = commands.find((command) => command.includes("-f mp4 hls-"))!.split(" ");
  return ladder.filter((_, index) => ladder[index - 1] === option);
}

async function makeStream(file: string): Promise<string[]> {
  const id = await addToLibrary(site.uploads, file, true);
  sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind <> 'ladder'");
  await workUntilIdle();
  const folder = path.dirname(onDisk(site.uploads, videoRow(id).hls_url));
  return fs.readdirSync(folder).filter((name) => /^\d+p\.mp4$/.test(name));
}

describe.runIf(ffmpegAvailable())("bits by content", () => {
  it("gives a drawing better pictures than noise, the same each time", async () => {
    const [drawn, grain] = [film("drawn", DRAWN), film("grain", GRAIN)];
    const [first, again, noise] = [
      await analysed(drawn),
      await analysed(drawn),
      await analysed(grain),
    ];
    expect(first).toEqual(again);
    expect(first!.crf).toBeLessThan(noise!.crf);
    expect(first!.bitsPerPixel * 20).toBeLessThan(noise!.bitsPerPixel);
    // What the noise loses by a smaller size, the plain ground does not.
    expect(first!.likeness.get("240p")).toBeGreaterThan(0.97);
    expect(noise!.likeness.get("240p")).toBeLessThan(0.9);
  });

  it("leaves out of the stream what brings nothing, and limits the rest by what the film takes", async () => {
    const commands = instead(":");
    const large = film("large", DRAWN.replaceAll("640x360", "854x480"));
    expect(await makeStream(large)).toEqual(["144p.mp4", "240p.mp4", "480p.mp4"]);
    expect(optionsOf(commands(), "-crf")).not.toContain("23");
    expect(optionsOf(commands(), "-maxrate")).toEqual(["350000", "100000", "18750"]);
  });

  it.each([
    ["fails", "exit 1"],
    ["is killed", "kill -9 $$"],
  ])("makes the ladder as ever where the analysis %s", async (_, what) => {
    const commands = instead(what);
    expect(await makeStream(film("drawn", DRAWN))).toEqual(FIXED.map((name) => `${name}.mp4`));
    expect(optionsOf(commands(), "-crf")).toEqual(["23", "23", "23"]);
    expect(optionsOf(commands(), "-maxrate")).toEqual(["800000", "400000", "75000"]);
  });

  it("takes its time for the last stream of a queue, and neither that nor an analysis for an awaited one", async () => {
    const commands = instead(":");
    const presets = async (prepare: string) => {
      fs.rmSync(notes(), { force: true });
      for (const color of ["0x3080c0", "0x3080d0"]) {
        const small = DRAWN.replace("640x360", "160x120").replace("0x3080c0", color);
        await addToLibrary(site.uploads, film(color, small), true);
      }
      sqliteHandle().exec(`UPDATE jobs SET state = 'done' WHERE kind <> 'ladder'; ${prepare}`);
      await workUntilIdle();
      const used = commands().flatMap((line) =>
        line.includes("hls-") ? [/preset (\w+)/.exec(line)![1]] : [],
      );
      return { used, analysed: commands().filter((line) => line.includes("ssim 1")).length };
    };
    expect(await presets("")).toEqual({ used: ["veryfast", "medium"], analysed: 2 });
    expect(await presets("UPDATE jobs SET priority = 0 WHERE state = 'waiting'")).toEqual({
      used: ["veryfast", "veryfast"],
      analysed: 0,
    });
  });
});
