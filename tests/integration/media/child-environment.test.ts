import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { posterColors } from "~/media/images/process-image.server";
import { ffmpegAvailable, forgetFfmpeg } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { CHILD_VARIABLES } from "~/platform/settings/child-environment";
import { addToLibrary, videoRow, workUntilIdle } from "../../encode-library";
import { makeClip } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";
import { wrapCommand } from "../../wrapped-ffmpeg";

const MADE_UP = { MADE_UP_SECRET: "mark-of-a-secret", SMTP_URL: "smtps://u:mark-of-a-secret@m" };
/** Variables that shells and Node's IPC channel add, and variables that are added for the image process. */
const ADDED = ["PWD", "OLDPWD", "SHLVL", "_", "NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE"];
const OF_IMAGE_PROCESS = ["UV_THREADPOOL_SIZE"];

let site: ReturnType<typeof useTemporarySite>;
let records: string;

beforeEach(() => {
  site = useTemporarySite(MADE_UP);
  records = path.join(site.folder, "records");
  fs.mkdirSync(records);
  // Each command first writes its environment to a file, and then runs the real command.
  for (const name of ["ffmpeg", "ffprobe"] as const) {
    const record = `cat /proc/$$/environ > ${records}/${name}.$$`;
    process.env.PATH = wrapCommand(site.folder, name, [record]);
  }
  process.env.LIBVA_DRIVER_NAME = "iHD";
  forgetFfmpeg();
});
afterEach(async () => {
  await site.remove();
  forgetFfmpeg();
});

/** Returns the recorded environment of each process that ran a command. */
const recorded = (command: string) =>
  fs
    .readdirSync(records)
    .filter((file) => file.startsWith(`${command}.`))
    .map((file) => fs.readFileSync(path.join(records, file), "utf8"));

const namesIn = (environment: string) =>
  environment
    .split("\0")
    .filter(Boolean)
    .map((line) => line.slice(0, line.indexOf("=")));

/** Returns the environments of the running child processes. */
const ofChildren = () =>
  fs
    .readFileSync(`/proc/self/task/${process.pid}/children`, "utf8")
    .split(" ")
    .filter(Boolean)
    .flatMap((id) => {
      try {
        return fs.readFileSync(`/proc/${id}/environ`, "utf8");
      } catch {
        // The process has exited in the meantime.
        return [];
      }
    });

function expectAllowed(environments: readonly string[]) {
  expect(environments.length).toBeGreaterThan(0);
  for (const environment of environments) {
    const allowed = [...CHILD_VARIABLES, ...ADDED, ...OF_IMAGE_PROCESS];
    expect(namesIn(environment).filter((name) => !allowed.includes(name))).toEqual([]);
    expect(environment.includes("mark-of-a-secret")).toBe(false);
  }
}

describe.runIf(ffmpegAvailable())("the environment of a process that reads uploaded files", () => {
  it("has only allow-listed variables while a file is probed and encoded", async () => {
    const clip = makeClip(site.folder, "clip", { output: ["-movflags", "+faststart"] });
    await probe(clip);
    expectAllowed(recorded("ffprobe"));
    const id = await addToLibrary(site.uploads, clip, true);
    await workUntilIdle();
    expect(videoRow(id).hls_url).not.toBeNull();
    expectAllowed(recorded("ffprobe"));
    expectAllowed(recorded("ffmpeg"));
  });

  it("keeps the variables that a hardware encoder needs", async () => {
    const clip = makeClip(site.folder, "clip");
    await probe(clip);
    expect(recorded("ffprobe").join("\0").split("\0")).toContain("LIBVA_DRIVER_NAME=iHD");
  });

  it("has only allow-listed variables while an image is decoded", async () => {
    const image = path.join(site.folder, "image.svg");
    fs.writeFileSync(image, '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>');
    await posterColors(image);
    expectAllowed(ofChildren().filter((environment) => environment.includes("NODE_CHANNEL_FD")));
  });
});
