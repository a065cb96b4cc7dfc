import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { enqueueCodecs } from "~/features/processing/queue/enqueue.server";
import { claim } from "~/features/processing/queue/queue.server";
import { beginWork } from "~/features/processing/queue/worker.server";
import { extraCodecs, suspendHardware } from "~/media/encode/encoders.server";
import { ffmpegAvailable, forgetFfmpeg } from "~/media/probe/ffmpeg.server";
import { addProcessed, jobRows } from "../../encode-library";
import { useTemporarySite } from "../../temporary-site";
import { wrapCommand } from "../../wrapped-ffmpeg";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ ENCODER_CODECS: "h264, hevc", ENCODER_HARDWARE: "vaapi" });
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  forgetFfmpeg();
  await site.remove();
});

const runs = () => path.join(site.folder, "hevc-runs");

/**
 * Installs an ffmpeg wrapper that claims to support hevc_vaapi. Each run with that encoder fails, and the wrapper
 * records whether the run used the device.
 */
function fakeCard(): void {
  process.env.PATH = wrapCommand(site.folder, "ffmpeg", [
    'case "$*" in',
    '  *-encoders*) ffmpeg "$@"; echo " V....D hevc_vaapi H.265/HEVC (VAAPI)"; exit;;',
    `  *"-vaapi_device "*hwupload*hevc_vaapi*) echo "with the device" >> "${runs()}"; exit 1;;`,
    `  *hevc_vaapi*) echo "without the device" >> "${runs()}"; exit 1;;`,
    "esac",
  ]);
  forgetFfmpeg();
}

const codecsJob = (id: string) => jobRows(id).find(({ kind }) => kind === "codecs")!;
const read = (file: string) => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "");

describe.runIf(ffmpegAvailable())("an HEVC job while hardware encoding is suspended", () => {
  it("waits until hardware encoding resumes, without using up an attempt", async () => {
    fakeCard();
    expect(extraCodecs()).toEqual(["hevc"]);
    const id = addProcessed(site.uploads, "counting");
    suspendHardware("vaapi", "suspended by the test");
    await enqueueCodecs(id);
    const job = (await claim())!;
    expect(job.kind).toBe("codecs");
    await beginWork(job).ended;
    expect(read(runs())).toBe("");
    const reason = "Hardware encoding is suspended after a failure.";
    expect(codecsJob(id)).toMatchObject({ state: "waiting", attempts: 0, reason });
    const waitMs = Date.parse(codecsJob(id).run_after) - Date.now();
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(10 * 60_000);
    expect(await claim()).toBeUndefined();

    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * 60_000 });
    await beginWork((await claim())!).ended;
    expect(read(runs())).toBe("with the device\n");
    expect(codecsJob(id)).toMatchObject({ state: "waiting", attempts: 1 });
  });
});
