import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSession } from "~/features/permissions/session.server";
import { loader } from "~/features/watch/routes/media";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { withVersion } from "~/media/serve/file-version.server";
import { sqliteHandle } from "~db/client.server";
import {
  addToLibrary,
  diskPath,
  filesBelow,
  jobRows,
  jobStates,
  videoRow,
  workUntilIdle,
} from "../../encode-library";
import { makeClip } from "../../media-clips";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { withoutMetadata } from "../../without-metadata";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ KEEP_SOURCES: "until-converted" });
});
afterEach(() => site.remove());

async function sendRequest(url: string, headers: Record<string, string> = {}) {
  const request = new Request(`http://site.example${url}`, { headers });
  return loader({ request, params: {}, context: {} });
}
async function bytesOf(url: string, headers?: Record<string, string>) {
  const response = await sendRequest(url, headers);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}
const statusOf = async (url: string) => (await bytesOf(url)).response.status;

/** Deletes all jobs of a video except those of the given kinds. */
function only(...kinds: string[]): void {
  const list = kinds.map((kind) => `'${kind}'`).join(", ");
  sqliteHandle().exec(`UPDATE jobs SET state = 'done' WHERE kind NOT IN (${list})`);
}
const cleanUp = async () => {
  sqliteHandle().exec("UPDATE jobs SET run_after = '2000' WHERE kind = 'cleanup'");
  await workUntilIdle();
};

describe.runIf(ffmpegAvailable())(
  "the URL of a video whose moov atom is moved to the front",
  () => {
    let url: string;
    let id: string;
    let before: Buffer;
    beforeEach(async () => {
      const clip = makeClip(site.folder, "video", { seconds: 5 });
      before = withoutMetadata(fs.readFileSync(clip));
      fs.writeFileSync(clip, before);
      id = await addToLibrary(site.uploads, clip, true);
      url = videoRow(id).video_url;
      only("transcode", "cleanup");
    });

    it("stays the same but gets a new entity tag, and a download in progress still receives the old file", async () => {
      const started = await sendRequest(url);
      const reader = started.body!.getReader();
      const chunks = [Buffer.from((await reader.read()).value!)];
      expect(chunks[0]!.length).toBeLessThan(before.length);
      const oldTag = started.headers.get("ETag")!;
      await workUntilIdle();

      expect(videoRow(id).video_url).toBe(url);
      expect(await probe(diskPath(site.uploads, url))).toMatchObject({ needsFaststart: false });
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        chunks.push(Buffer.from(next.value));
      }
      expect(Buffer.concat(chunks).equals(before)).toBe(true);

      const now = await bytesOf(url);
      expect(now.response.status).toBe(200);
      expect(now.response.headers.get("ETag")).not.toBe(oldTag);
      expect(now.bytes.equals(fs.readFileSync(diskPath(site.uploads, url)))).toBe(true);
      const resumed = await bytesOf(url, { Range: "bytes=1000-", "If-Range": oldTag });
      expect(resumed.response.status).toBe(200);
      expect(resumed.bytes.equals(now.bytes)).toBe(true);
      const newTag = now.response.headers.get("ETag")!;
      const part = await bytesOf(url, { Range: "bytes=1000-1999", "If-Range": newTag });
      expect(part.response.status).toBe(206);
      expect(part.bytes.equals(now.bytes.subarray(1000, 2000))).toBe(true);
    });

    it("serves each version that a player requests until cleanup, and only the current version afterward", async () => {
      const playing = await withVersion(url);
      expect(playing).toMatch(/\?v=[\da-z]+-[\da-z]+-[\da-z]+$/);
      await workUntilIdle();
      expect(await withVersion(url)).not.toBe(playing);
      const old = await bytesOf(playing, { Range: "bytes=5000-" });
      expect(old.response.status).toBe(206);
      expect(old.bytes.equals(before.subarray(5000))).toBe(true);
      const present = fs.readFileSync(diskPath(site.uploads, url));
      expect((await bytesOf(await withVersion(url))).bytes.equals(present)).toBe(true);

      sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
      expect(await statusOf(playing)).toBe(404);
      sqliteHandle().exec("UPDATE videos SET status = 'published'");
      await cleanUp();
      expect(jobStates(id).cleanup).toBe("done");
      expect((await bytesOf(playing)).bytes.equals(present)).toBe(true);
      expect(await statusOf(`${url}?v=../../../etc/passwd`)).toBe(200);
    });

    it("keeps working if the job is killed between any two of its steps", async () => {
      const folder = diskPath(site.uploads, url).replace(".mp4", "");
      const earlier = `${url.replace(".mp4", "")}/original-1-1.mp4`;
      fs.mkdirSync(folder, { recursive: true });
      fs.linkSync(diskPath(site.uploads, url), path.join(folder, "original-1-1.mp4"));
      sqliteHandle().prepare("UPDATE videos SET source_url = ?").run(earlier);
      // The original has been linked to its new name and the row refers to it, but the playable file hasn't been
      // replaced yet.
      await workUntilIdle();
      expect(videoRow(id)).toMatchObject({ video_url: url, source_url: earlier });
      expect(await probe(diskPath(site.uploads, url))).toMatchObject({ needsFaststart: false });
      // The file has been replaced, but the job hasn't been recorded as done.
      sqliteHandle().exec("UPDATE jobs SET state = 'waiting' WHERE kind = 'transcode'");
      await workUntilIdle();
      expect(jobStates(id).transcode).toBe("done");
      expect(await statusOf(url)).toBe(200);
      await cleanUp();
      expect(videoRow(id)).toMatchObject({ video_url: url, source_url: null });
      expect(fs.readdirSync(folder)).toEqual([]);
    });

    it("serves the uploaded file if another video uses that file too", async () => {
      sqliteHandle()
        .prepare("INSERT INTO videos (id, title, category, video_url) VALUES ('b', 'B', 'desi', ?)")
        .run(url);
      await workUntilIdle();
      expect(fs.readFileSync(diskPath(site.uploads, url)).equals(before)).toBe(true);
      expect(videoRow(id)).toMatchObject({ video_url: url, source_url: null });
      expect(jobRows(id).find(({ kind }) => kind === "transcode")).toMatchObject({
        state: "done",
        reason: "The file wasn't replaced because another video uses it too.",
      });
      expect(filesBelow(path.join(site.uploads, "videos"))).toEqual([
        url.replace("/media/videos/", ""),
      ]);
    });

    it("doesn't start serving the converted file if the video is deleted during conversion", async () => {
      const { replaceVideoFile } = await import(
        "~/features/processing/queue/commit-artifact.server"
      );
      const { claim } = await import("~/features/processing/queue/queue.server");
      const { sourceOf } = await import("~/features/processing/queue/produce-artifact.server");
      const job = (await claim())!;
      const source = (await sourceOf(job))!;
      const made = path.join(site.folder, "made.mp4");
      fs.writeFileSync(made, "new");
      sqliteHandle().exec("DELETE FROM videos");
      await replaceVideoFile(job, source, made);
      expect(fs.readFileSync(diskPath(site.uploads, url)).equals(before)).toBe(true);
    });
  },
);

describe.runIf(ffmpegAvailable())("the URL of a video that browsers can't play", () => {
  it("serves the playable file as soon as it exists, and the source stays private", async () => {
    const avi = makeClip(site.folder, "clip", { extension: "avi", video: ["mpeg4"] });
    const id = await addToLibrary(site.uploads, avi, false);
    const url = videoRow(id).source_url!;
    expect(await statusOf(url)).toBe(404);
    only("transcode", "ladder");
    await workUntilIdle();
    const played = videoRow(id).video_url;
    const { response, bytes } = await bytesOf(url);
    expect(response.headers.get("Content-Type")).toBe("video/mp4");
    expect(bytes.equals(fs.readFileSync(diskPath(site.uploads, played)))).toBe(true);
    const cookie = await openSession(insertUser().id);
    const own = await bytesOf(url, { Cookie: cookie.split(";")[0]! });
    expect(own.bytes.equals(fs.readFileSync(avi))).toBe(true);
    expect(own.response.headers.get("Cache-Control")).toContain("no-store");
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    expect(await statusOf(url)).toBe(404);
  });

  it("keeps working if another tool has published the video", async () => {
    const mkv = makeClip(site.folder, "clip", { extension: "mkv" });
    const id = await addToLibrary(site.uploads, mkv, true);
    const url = videoRow(id).video_url;
    only("transcode", "cleanup");
    await workUntilIdle();
    expect(videoRow(id).video_url).toBe(url.replace(".mkv", ".mp4"));
    expect(await statusOf(url)).toBe(200);
    await cleanUp();
    expect(await statusOf(url)).toBe(200);
  });
});

describe("URLs from an earlier version of the site", () => {
  const put = (name: string, content: string) => {
    const file = path.join(site.uploads, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
  };
  const add = (status: string, video_url: string, source_url: string | null = null) =>
    sqliteHandle()
      .prepare(
        `INSERT INTO videos (title, category, status, video_url, source_url)
         VALUES ('A', 'desi', ?, ?, ?)`,
      )
      .run(status, video_url, source_url);

  it("work with either extension for a file that became an .m4v file, even if its source was deleted", async () => {
    put("videos/u/1.m4v", "index in front");
    put("videos/u/1.mp4", "index behind");
    add("published", "/media/videos/u/1.m4v", "/media/videos/u/1.mp4");
    for (const source of [true, false]) {
      if (!source) fs.rmSync(path.join(site.uploads, "videos/u/1.mp4"));
      for (const ending of ["m4v", "mp4"]) {
        const { response, bytes } = await bytesOf(`/media/videos/u/1.${ending}`);
        expect([response.status, String(bytes)]).toEqual([200, "index in front"]);
        expect(response.headers.get("Content-Type")).toBe("video/mp4");
      }
    }
  });

  it("have different content types for a QuickTime file and the MP4 that replaced it", async () => {
    put("videos/u/1.mov", "\0\0\0\x14ftypqt  more");
    add("published", "/media/videos/u/1.mov");
    const type = async () =>
      (await sendRequest("/media/videos/u/1.mov")).headers.get("Content-Type");
    expect(await type()).toBe("video/quicktime");
    put("videos/u/1.mov", "\0\0\0\x14ftypisommore");
    expect(await type()).toBe("video/mp4");
  });

  it("don't expose a hidden file whose name has the same prefix", async () => {
    put("videos/u/a.mp4", "hidden");
    put("videos/u/a/preview.mp4", "hidden");
    put("videos/u/a.b.mp4", "published");
    add("hidden", "/media/videos/u/a.mp4");
    add("published", "/media/videos/u/a.b.mp4");
    expect(await statusOf("/media/videos/u/a.b.mp4")).toBe(200);
    expect(await statusOf("/media/videos/u/a.mp4")).toBe(404);
    expect(await statusOf("/media/videos/u/a/preview.mp4")).toBe(404);
  });
});
