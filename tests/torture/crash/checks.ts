import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import Sqlite from "better-sqlite3";
import type { SiteProcess } from "../../site-process";
import { FILE_COLUMNS } from "../../upgrades/describe-site";
import { allowedNow, described, isSame, NOWHERE, type Video, type VideoState } from "./model";

/** The site polls once a second; a machine that is busy may keep it for a while. */
const PUBLISHED_WITHIN_MS = 20_000;
export type Row = Record<string, string | null> & { id: string; title: string };

export interface Rows {
  live: Row[];
  trash: Row[];
  others: Row[];
  /** What is about to be removed, by its bucket and path. */
  removals: string[];
  /** The keys of objects in the store, by the bucket and path of their files. */
  stored: Map<string, string>;
}

/** Where the files of a site are. */
export interface Places {
  site: SiteProcess;
  /** IMPORT_DIR */
  folder?: string;
  /** The folder of STORAGE_URL, if the site has one. */
  store?: string;
  /** Base paths and objects of videos that a restored backup doesn't have: they aren't strays. */
  leftOver?: ReadonlySet<string>;
}

/** What goes on by itself, as a conversion that ends, may change a row between two looks at it. */
const LOOKS = 3;

/** Everything that has to be true after the site was killed and has started again. */
export async function check(places: Places, videos: readonly Video[]): Promise<string[]> {
  const { site } = places;
  const faults: string[] = [];
  const sqlite = new Sqlite(site.databasePath, { readonly: true, timeout: 5_000 });
  try {
    const integrity = sqlite.pragma("integrity_check", { simple: true });
    if (integrity !== "ok") faults.push(`integrity_check: ${integrity}`);
    const read = () => readRows(sqlite);
    const rows = await afterWhatIsDue(read, videos);
    for (const video of videos) faults.push(...settle(rows, video));
    const known = new Set(videos.flatMap(({ id }) => id ?? []));
    for (const { id, title } of [...rows.live, ...rows.trash]) {
      if (!known.has(id)) faults.push(`${title}: there is a row that nobody made, or two of one`);
    }
    faults.push(...(await lasting(read, (now) => filesOf(places, now))));
    faults.push(...(await lasting(read, (now) => damaged(places, now, videos))));
    faults.push(...videos.flatMap((video) => lostSources(places, video)));
    for (const { id } of rows.live) {
      faults.push(...(await lasting(read, (now) => answers(site, now, id, videos))));
    }
    faults.push(...(await lasting(read, (now) => hidden(site, now))));
  } finally {
    sqlite.close();
  }
  return faults;
}

/** All rows that name files, of one moment. */
export function readRows(sqlite: Sqlite.Database): Rows {
  const all = (sql: string) => sqlite.prepare(sql).all() as Row[];
  return sqlite.transaction(() => ({
    live: all("SELECT * FROM videos"),
    trash: all("SELECT row FROM deleted_videos").map(({ row }) => JSON.parse(String(row))),
    others: all("SELECT * FROM video_files WHERE state <> 'removed'"),
    removals: sqlite
      .prepare("SELECT bucket || '/' || path FROM removals")
      .pluck()
      .all() as string[],
    stored: new Map(
      sqlite.prepare("SELECT bucket || '/' || path, object FROM stored_files").raw().all() as [
        string,
        string,
      ][],
    ),
  }))();
}

/** The rows once what was to be published by now is. */
async function afterWhatIsDue(read: () => Rows, videos: readonly Video[]): Promise<Rows> {
  const until = Date.now() + PUBLISHED_WITHIN_MS;
  const isOverdue = (video: Video) =>
    video.allowed.some(
      ({ at, publishAt }) => at === "catalogue" && publishAt !== null && publishAt <= Date.now(),
    );
  for (;;) {
    const rows = read();
    const isWaitedFor = (video: Video) =>
      isOverdue(video) && stateIn(rows, video).publishAt !== null;
    if (!videos.some(isWaitedFor) || Date.now() > until) return rows;
    await new Promise((next) => setTimeout(next, 200));
  }
}

/** What is found although the rows are the same before and after the look; else it is looked again. */
export async function lasting(
  read: () => Rows,
  look: (rows: Rows) => Promise<string[]> | string[],
): Promise<string[]> {
  let found: string[] = [];
  for (let looks = 0; looks < LOOKS; looks++) {
    const before = read();
    found = await look(before);
    if (found.length === 0 || isDeepStrictEqual(before, read())) return found;
  }
  return found;
}

/** Addresses without a file, and files without an address. */
export function filesOf(places: Places, rows: Rows): string[] {
  const find = (url: string) => fileOf(places, rows, url);
  return [
    ...[...rows.live, ...rows.trash].flatMap((row) => missing(row, find)),
    ...strays(places, rows),
    ...strayObjects(places, rows),
  ];
}

function stateIn({ live, trash }: Rows, video: Video): VideoState {
  const isIt = ({ title }: Row) => title.startsWith(`${video.word} `);
  const row = live.find(isIt) ?? trash.find(isIt);
  if (!row) return NOWHERE;
  video.id = row.id;
  return {
    at: live.includes(row) ? "catalogue" : "trash",
    title: row.title,
    description: row.description ?? "",
    isPublic: row.status === "published",
    publishAt: row.publish_at ? Date.parse(row.publish_at) : null,
  };
}

/** What the catalogue has of the video is what it stays from now on. */
function settle(rows: Rows, video: Video): string[] {
  const state = stateIn(rows, video);
  const allowed = allowedNow(video, Date.now());
  video.allowed = [state];
  if (allowed.some((each) => isSame(each, state))) return [];
  return [`${video.word} is ${described(state)}; allowed: ${allowed.map(described).join(" | ")}`];
}

/** The file on the disk; of one that is only in the store, its object. */
function fileOf({ site, store }: Places, { stored }: Rows, url: string): string {
  const name = decodeURIComponent(url.replace(/^\/media\//, "").replace(/\?.*$/, ""));
  const file = path.join(site.uploads, name);
  const object = stored.get(name);
  return store && object && !fs.existsSync(file) ? path.join(store, object) : file;
}

type Find = (url: string) => string;

function missing(row: Row, find: Find): string[] {
  const urls = FILE_COLUMNS.flatMap((name) => row[name] || []);
  const faults = urls
    .filter((url) => !fs.existsSync(find(url)) || fs.statSync(find(url)).size === 0)
    .map((url) => `${row.title}: ${url} is missing or empty`);
  if (!row.video_url && !row.source_url) faults.push(`${row.title}: has no video`);
  for (const url of urls.filter((each) => each.endsWith(".m3u8"))) {
    faults.push(
      ...missingParts(url, find).map((part) => `${row.title}: ${part} of the stream is missing`),
    );
  }
  return faults;
}

/** What a playlist names and the disk does not have. */
function missingParts(url: string, find: Find): string[] {
  if (!fs.existsSync(find(url))) return [url];
  const text = fs.readFileSync(find(url), "utf8");
  const named = [...text.matchAll(/^[^#\s].*$/gm), ...text.matchAll(/URI="([^"]+)"/g)];
  return named.flatMap(([line, uri]) => {
    const { pathname } = new URL(uri ?? line, `http://site${url}`);
    if (pathname.endsWith(".m3u8")) return missingParts(pathname, find);
    return fs.existsSync(find(pathname)) ? [] : [pathname];
  });
}

/** Files of the buckets that belong to no row, and that nothing is about to remove. */
function strays({ site, leftOver }: Places, { live, trash, others, removals }: Rows): string[] {
  const bases = new Set([...(leftOver ?? []), ...basesOf([...live, ...trash, ...others])]);
  return (
    ["videos", "thumbnails"]
      .flatMap((bucket) => filesBelow(site.uploads, bucket))
      // What is being removed is set aside under its own name.
      .map((name) =>
        name.replace(/\/\.removing\/(.+)$/, (_, aside: string) => `/${decodeURIComponent(aside)}`),
      )
      // Copies that a restore has made before it was killed.
      .filter((name) => !/^\w+\/\.restore\//.test(name))
      .filter((name) => !bases.has(baseOf(`/media/${name}`)[0]!))
      .filter((name) => !removals.some((each) => name === each || name.startsWith(`${each}/`)))
      .map((name) => `${name} belongs to no row`)
  );
}

/** Objects that are lost, and objects that no file has and nothing is about to remove. */
function strayObjects({ store, leftOver }: Places, { stored, removals }: Rows): string[] {
  if (!store) return [];
  const known = new Set([...(leftOver ?? []), ...stored.values(), "site.json"]);
  const objects = filesBelow(store, ".").map((name) => path.posix.normalize(name));
  return [
    ...objects
      .filter((name) => !known.has(name) && !removals.includes(`store/${name}`))
      .filter((name) => !path.posix.basename(name).startsWith("."))
      .map((name) => `${name} in the store belongs to no file`),
    ...[...stored]
      .filter(([, object]) => !objects.includes(object))
      .map(([name]) => `${name} is not in the store`),
  ];
}

/** Files of a folder and of those in it, while they come and go. */
function filesBelow(root: string, name: string): string[] {
  try {
    const entries = fs.readdirSync(path.join(root, name), { withFileTypes: true });
    return entries.flatMap((entry) => {
      const inner = `${name}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(root, inner) : [inner];
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The base paths of all files that rows name. */
export function basesOf(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => FILE_COLUMNS.flatMap((name) => baseOf(row[name] ?? "")));
}

/** `{user}/{number}` of an address. */
export function baseOf(url: string): string[] {
  const found = /^\/media\/[^/]+\/([^/]+\/\d+)/.exec(url);
  return found ? [found[1]!] : [];
}

/** Videos whose file doesn't decode without errors, or has a different number of frames than the uploaded file. */
function damaged(places: Places, rows: Rows, videos: readonly Video[]): string[] {
  return [...rows.live, ...rows.trash].flatMap((row) => {
    const video = videos.find(({ id }) => id === row.id);
    const urls = [row.video_url, row.source_url].filter((url) => url);
    return urls.flatMap((url) => {
      const file = fileOf(places, rows, url!);
      // Reported by `missing`.
      if (!video || !fs.existsSync(file)) return [];
      const frames = framesOf(fs.readFileSync(file));
      return frames === video.frames
        ? []
        : [`${row.title}: ${url}: expected ${video.frames} frames, got ${frames}`];
    });
  });
}

/** Results by SHA-256, because most files don't change between kills. */
const decoded = new Map<string, number | string>();

/** How many frames a video has, or why it doesn't decode. */
function framesOf(bytes: Buffer): number | string {
  const sha256 = digestOf(bytes);
  const known = decoded.get(sha256);
  if (known !== undefined) return known;
  const args = ["-v", "error", "-xerror", "-i", "-", "-f", "null", "-progress", "pipe:1", "-"];
  const { status, stdout, stderr } = spawnSync("ffmpeg", args, { input: bytes, encoding: "utf8" });
  const [, frames] = [...stdout.matchAll(/^frame=\s*(\d+)$/gm)].at(-1) ?? [];
  const found = status === 0 ? Number(frames ?? 0) : `not decoded (${stderr.slice(0, 200)})`;
  decoded.set(sha256, found);
  return found;
}

const digestOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** A video that is not in the catalogue yet is where it is imported from. */
function lostSources({ folder }: Places, { word, imported, allowed, sha256 }: Video): string[] {
  if (!folder || !imported || allowed[0]?.at !== "nowhere") return [];
  const file = path.join(folder, `${word}.mp4`);
  if (!fs.existsSync(file)) return [`${word} is neither in the catalogue nor where it came from`];
  return digestOf(fs.readFileSync(file)) === sha256 ? [] : [`${word} has changed where it is`];
}

/** The file served for a public video decodes to as many frames as the uploaded file. */
async function answers(
  site: SiteProcess,
  { live }: Rows,
  id: string,
  videos: readonly Video[],
): Promise<string[]> {
  const row = live.find((each) => each.id === id);
  if (row?.status !== "published" || !row.video_url) return [];
  // Once more: a kept connection may be closed by the site just when it is used.
  const get = () => fetch(site.url + row.video_url);
  const answer = await get().catch(get);
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) return [`${row.title}: ${row.video_url} answers ${answer.status}`];
  const video = videos.find((each) => each.id === id);
  const frames = framesOf(bytes);
  if (!video || frames === video.frames) return [];
  return [`${row.title}: ${row.video_url} answers: expected ${video.frames} frames, got ${frames}`];
}

/** What is not public is found at none of its addresses, and in no list. */
async function hidden(site: SiteProcess, rows: Rows): Promise<string[]> {
  const faults: string[] = [];
  const lists = await Promise.all(
    ["/", "/feed.xml", "/sitemap.xml", "/?q=torture", "/tags/torture"].map(async (at) => ({
      at,
      text: await (await fetch(site.url + at)).text(),
    })),
  );
  for (const row of [...rows.live.filter(({ status }) => status !== "published"), ...rows.trash]) {
    for (const url of [`/video/${row.id}`, ...FILE_COLUMNS.flatMap((name) => row[name] || [])]) {
      const { status } = await fetch(site.url + url, { method: "HEAD" });
      if (status !== 404) faults.push(`${row.title} is hidden, and ${url} answers ${status}`);
    }
    for (const { at, text } of lists) {
      if (text.includes(row.id)) faults.push(`${row.title} is hidden, and ${at} names it`);
    }
  }
  return faults;
}
