import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { withFrame } from "~/features/library/edit/frames.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { asJob } from "~/media/probe/process-gate.server";
import { addVideo, sendMultipart, useAdminSite } from "../../admin-requests";
import { mp4Clip } from "../../clips";
import { until } from "../../process-figures";
import { wrapCommand } from "../../wrapped-ffmpeg";

const site = useAdminSite();

/** Replaces ffmpeg with a command that waits until `open` is called, and records when each process starts and ends. */
function holdFfmpeg() {
  const log = path.join(site.folder, "processes");
  const go = path.join(site.folder, "go");
  fs.writeFileSync(log, "");
  // Looking up the executables must not count as a run.
  ffmpegAvailable();
  process.env.PATH = wrapCommand(site.folder, "ffmpeg", [
    `echo + >> "${log}"`,
    `while [ ! -e "${go}" ]; do sleep 0.02; done`,
    'ffmpeg "$@"',
    "code=$?",
    `echo - >> "${log}"`,
    "exit $code",
  ]);
  const marks = () => fs.readFileSync(log, "utf8").split("\n").filter(Boolean);
  return {
    open: () => fs.writeFileSync(go, ""),
    running: () => marks().filter((mark) => mark === "+").length,
    most() {
      let running = 0;
      return Math.max(...marks().map((mark) => (running += mark === "+" ? 1 : -1)));
    },
  };
}

function addVideoWithFile(id: string): void {
  const name = `u/170000000000${id}.mp4`;
  const target = path.join(site.uploads, "videos", name);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.copyFileSync(mp4Clip(2), target);
  addVideo({ id, video_url: `/media/videos/${name}` });
}

describe.runIf(ffmpegAvailable())("extracting frames concurrently", () => {
  it("runs two processes at a time, and returns 429 if an account has eight queued requests", async () => {
    addVideoWithFile("1");
    const ffmpeg = holdFfmpeg();
    const outcomes: Promise<string>[] = [];
    let rejected = 0;
    const take = (userId: string) =>
      withFrame("1", "0:00.5", userId, async (frame) => {
        expect(fs.statSync(frame.path).size).toBeGreaterThan(100);
        return userId;
      }).catch(({ status, field }) => {
        rejected += 1;
        return `${status} ${field}`;
      });
    for (let count = 0; count < 24; count++) outcomes.push(take("u"));
    await until(() => rejected === 14);
    const form = new FormData();
    for (const [name, value] of [
      ["intent", "update"],
      ["id", "1"],
      ["title", "New"],
      ["frame", "0:00.5"],
    ] as const) {
      form.set(name, value);
    }
    expect(await sendMultipart(form, "/admin?tab=manage&edit=1")).toMatchObject({
      init: { status: 429 },
      data: { studio: { edit: { frame: "0:00.5", texts: { title: "New" } } } },
    });
    outcomes.push(take("other"));
    // Jobs in the queue have a separate limit.
    outcomes.push(asJob(() => take("job")));
    await until(() => ffmpeg.running() === 3);
    ffmpeg.open();
    const all = await Promise.all(outcomes);
    expect(all.filter((outcome) => outcome === "429 frame")).toHaveLength(14);
    expect(all.filter((outcome) => outcome === "u")).toHaveLength(10);
    expect(all.slice(-2)).toEqual(["other", "job"]);
    expect(ffmpeg.most()).toBe(3);
    // All slots are free again.
    expect(await take("u")).toBe("u");
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });
});
