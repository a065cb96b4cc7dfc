import fs from "node:fs";
import { mp4Clip } from "../../clips";
import { sendRequest } from "../../site-client";
import type { SiteProcess } from "../../site-process";
import type { Random } from "../random";
import { newMark } from "./marks";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const FAR_FUTURE = "2099-01-01T12:00:00.000Z";

/** States in which a video isn't public. In some of these states, the video used to be public. */
export const STATES = ["hidden", "draft", "scheduled", "in the trash", "held", "ended"] as const;
export type State = (typeof STATES)[number];
const WERE_PUBLIC: readonly State[] = ["hidden", "in the trash", "held", "ended"];

/** A video, or a nonexistent one that is requested in its place. */
export interface Video {
  id: string;
  /** The `{user}/{number}` with which the names of all the video's files begin. */
  base: string;
  /** The marker in the video's text and in each of its files. */
  word: string;
}
export interface HiddenVideo extends Video {
  state: State;
  wasPublic: boolean;
}

/** Returns the names of a video's files. */
const fileNames = (base: string) => [
  `videos/${base}.mp4`,
  `videos/${base}/hls/master.m3u8`,
  `videos/${base}/hls/240/index.m3u8`,
  `videos/${base}/hls/240/init.mp4`,
  `videos/${base}/hls/240/1.m4s`,
  `videos/${base}/storyboard.vtt`,
  `videos/${base}/storyboard-1.jpg`,
  `videos/${base}/preview.mp4`,
  `videos/${base}/en.vtt`,
  `thumbnails/${base}.jpg`,
  `thumbnails/${base}/poster.jpg`,
];
export const filesOf = ({ base }: Video) => fileNames(base).map((name) => `/media/${name}`);

const newId = (random: Random) =>
  Array.from({ length: 32 }, () => random.below(16).toString(16)).join("");

export function newVideo(random: Random, number: number): Video {
  const base = `u/${1_795_000_000_000 + number}`;
  return { id: newId(random), base, word: newMark(random) };
}

/** Returns the content of a file: a video, or the beginning of the file's format, followed by the marker. */
function contentOf(name: string, { base, word }: Video): Buffer {
  const marked = Buffer.from(`....free${word}`);
  if (name.endsWith(".mp4") || name.endsWith(".m4s")) {
    marked.writeUInt32BE(marked.length);
    return Buffer.concat([fs.readFileSync(mp4Clip(1, "128x72")), marked]);
  }
  if (name.endsWith(".vtt")) return Buffer.from(`WEBVTT\n\n00:00.000 --> 00:01.000\n${word}\n`);
  if (name.endsWith("master.m3u8")) {
    const stream = "#EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=128x72\n240/index.m3u8";
    return Buffer.from(`#EXTM3U\n# ${word} ${base}\n${stream}\n`);
  }
  if (name.endsWith(".m3u8")) {
    const parts = '#EXT-X-MAP:URI="init.mp4"\n#EXTINF:1,\n1.m4s\n#EXT-X-ENDLIST';
    return Buffer.from(`#EXTM3U\n# ${word}\n#EXT-X-TARGETDURATION:1\n${parts}\n`);
  }
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), marked]);
}

/** Adds a video in its initial state, with all kinds of files. */
export function addVideoWithFile(
  site: SiteProcess,
  video: Video,
  columns: Record<string, string | null>,
) {
  const { id, base, word } = video;
  for (const name of fileNames(base)) {
    const [bucket, ...path] = name.split("/") as ["videos" | "thumbnails", ...string[]];
    site.addFile(bucket, path.join("/"), contentOf(name, video));
  }
  const at = (name: string) => `/media/videos/${base}/${name}`;
  site.addVideo({
    ...{ id, title: `${word} in the evening`, duration: "1:00", uploaded_by: null },
    description: `About ${word}.\n0:00 ${word} begins\n0:20 ${word} goes on\n0:40 ${word} ends`,
    tags: JSON.stringify([`${word}tag`, "evening"]),
    ...{ video_url: `/media/videos/${base}.mp4`, thumbnail_url: `/media/thumbnails/${base}.jpg` },
    ...{ hls_url: at("hls/master.m3u8"), storyboard_url: at("storyboard.vtt") },
    ...{ preview_url: at("preview.mp4") },
    captions: JSON.stringify([{ url: at("en.vtt"), language: "en", label: word, added: true }]),
    ...columns,
  });
}

/** Adds a video for each state. Those that will be hidden later are still public. */
export function addVideosWithFiles(
  site: SiteProcess,
  random: Random,
  states: readonly State[],
): HiddenVideo[] {
  return states.map((state, index) => {
    const video = newVideo(random, index + 1);
    const wasPublic = WERE_PUBLIC.includes(state);
    addVideoWithFile(site, video, {
      status: wasPublic ? "published" : state === "draft" ? "review" : "hidden",
      ...(state === "scheduled" && { publish_at: FAR_FUTURE }),
    });
    return { ...video, state, wasPublic };
  });
}

/** Hides a public video in the same way as the studio or a visitor would. */
export async function hide(site: SiteProcess, cookie: string, video: HiddenVideo): Promise<void> {
  const { id, state } = video;
  const send = async (path: string, fields: Record<string, string>, headers = {}) => {
    const body = new URLSearchParams(fields).toString();
    const { status, body: text } = await sendRequest(
      site,
      "POST",
      path,
      { ...FORM, ...headers },
      body,
    );
    if (status >= 400) throw new Error(`${path} returned ${status}: ${text.slice(0, 300)}`);
  };
  const studio = { Cookie: cookie };
  if (state === "hidden")
    await send("/admin", { intent: "toggle", id, expectedStatus: "published" }, studio);
  if (state === "in the trash") await send("/admin", { intent: "delete", id }, studio);
  if (state === "held") {
    const report = { form: "one-opening", where: `${site.url}/video/${id}` };
    const statements = { "statement-0": "1", "statement-1": "1" };
    const what = "It shows me, and I did not agree.";
    await send(`/report?video=${id}&kind=consent`, { ...report, ...statements, what });
  }
  if (state === "ended") {
    const end = "UPDATE videos SET unpublish_at = '2026-01-01T00:00:00.000Z' WHERE id = ?";
    site.database().prepare(end).run(id);
  }
}

/** Returns whether a video's row is published. */
export function isPublic(site: SiteProcess, { id }: Video): boolean {
  const status = site.database().prepare("SELECT status FROM videos WHERE id = ?").pluck().get(id);
  return status === "published";
}
