import { describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { sqliteHandle } from "~db/client.server";
import { useAdminSite } from "../admin-requests";
import { addToLibrary, jobStates, workUntilIdle } from "../encode-library";
import { ffmpeg, makeClip } from "../media-clips";
import { shownList } from "../similar-list";

const site = useAdminSite();

/** Creates a video of eight scenes with soft lights, which are generated from a seed. */
const video = (seed: number) =>
  makeClip(site.folder, `video-${seed}`, {
    videoSource: `color=gray:size=16x12:rate=2/5:duration=20,noise=alls=100:allf=t:all_seed=${seed},scale=426:240:flags=bicubic,fps=10`,
    audio: false,
  });

/** Re-encodes a video with other ffmpeg options. */
function changed(name: string, from: string, options: string[], before: string[] = []): string {
  const file = `${site.folder}/${name}.mp4`;
  ffmpeg([...before, "-i", from, "-an", ...options, file]);
  return file;
}

const x264 = (crf: string, ...filter: string[]) => [
  ...["-c:v", "libx264", "-preset", "ultrafast", "-crf", crf],
  ...filter,
];

const stillVideo = (name: string, picture: string) =>
  makeClip(site.folder, name, {
    videoSource: `${picture}size=320x180:rate=10:duration=20`,
    audio: false,
  });

/** Adds files as videos and compares them in order. Returns their ids. */
async function compared(files: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) {
    const id = await addToLibrary(site.uploads, file, true);
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind <> 'storyboard'");
    await workUntilIdle();
    expect(jobStates(id).fingerprint).toBe("done");
    ids.push(id);
  }
  return ids;
}

describe.runIf(ffmpegAvailable())("similar videos", () => {
  it("are found even if they are resized, marked with a logo or cut at the start, while other videos aren't", async () => {
    const original = video(3);
    const [first, small, logo, trimmed, other, another] = await compared([
      original,
      changed("small", original, x264("38", "-vf", "scale=214:120")),
      changed(
        "logo",
        original,
        x264("23", "-vf", "drawbox=x=350:y=10:w=60:h=40:color=white:t=fill"),
      ),
      changed("trimmed", original, x264("23"), ["-ss", "1.5"]),
      video(8),
      video(21),
    ]);
    const { list, similar } = await shownList();
    expect(list.total).toBe(4);
    expect(list.videos.map(({ id }) => id).sort()).toEqual([first, small, logo, trimmed].sort());
    expect(similar[first!]!.map(({ id }) => id)).toEqual([small, logo, trimmed]);
    const all = await shownList("/admin?tab=manage");
    expect(all.list.total).toBe(6);
    expect([all.similar[other!], all.similar[another!]]).toEqual([undefined, undefined]);
    expect(all.similar[trimmed!]![0]).toMatchObject({ id: first, title: "video-3.mp4" });
  }, 120_000);

  it("don't include black videos, test cards or still images", async () => {
    await compared([
      stillVideo("black-1", "color=black:"),
      stillVideo("black-2", "color=black:"),
      stillVideo("bars-1", "smptebars="),
      stillVideo("bars-2", "smptebars="),
    ]);
    expect((await shownList()).list.total).toBe(0);
    expect(
      sqliteHandle().prepare("SELECT sum(length(hashes)) FROM video_fingerprints").pluck().get(),
    ).toBe(0);
  }, 60_000);
});
