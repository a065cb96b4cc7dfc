import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import Sqlite from "better-sqlite3";
import type { SiteProcess } from "../../site-process";
import { FILE_COLUMNS } from "../../upgrades/describe-site";
import { allowedNow, describeState, isSame, NOWHERE, type Video, type VideoState } from "./model";

/** The site polls once per second, but a busy machine may delay it. */
const PUBLISH_TIMEOUT_MS = 20_000;

export type Row = Record<string, string | null> & { id: string; title: string };

export interface Rows {
  live: Row[];
  trash: Row[];
  others: Row[];
  /** The buckets and paths of the files that are about to be removed. */
  removals: string[];
  /** The key of each object in the store, by the bucket and path of its file. */
  stored: Map<string, string>;
}

/** The folders of a site. */
export interface Places {
  site: SiteProcess;
  /** IMPORT_DIR */
  folder?: string;
  /** The folder in STORAGE_URL, if the site has one. */
  store?: string;
  /** Base paths and objects that belong to videos missing from a restored backup. They don't count as stray files. */
  expectedStrays?: ReadonlySet<string>;
}

/** Background work, such as the end of a conversion, may change a row while it is being checked. */
const MAX_ATTEMPTS = 3;

/** Checks everything that must be true after the site has been killed and restarted. */
export async function check(places: Places, videos: readonly Video[]): Promise<string[]> {
  const { site } = places;
  const faults: string[] = [];
  const sqlite = new Sqlite(site.databasePath, { readonly: true, timeout: 5_000 });
  try {
    const integrity = sqlite.pragma("integrity_check", { simple: true });
    if (integrity !== "ok") faults.push(`integrity_check: ${integrity}`);
    const read = () => readRows(sqlite);
    const rows = await readOncePublished(read, videos);
    for (const video of videos) faults.push(...settle(rows, video));
    const known = new Set(videos.flatMap(({ id }) => id ?? []));
    for (const { id, title } of [...rows.live, ...rows.trash]) {
      if (!known.has(id)) faults.push(`${title}: a row that was never created, or a duplicate`);
    }
    faults.push(...(await checkWhileStable(read, (now) => checkFiles(places, now))));
    faults.push(...(await checkWhileStable(read, (now) => findDamaged(places, now, videos))));
    faults.push(...videos.flatMap((video) => findLostSources(places, video)));
    for (const { id } of rows.live) {
      faults.push(
        ...(await checkWhileStable(read, (now) => checkServedFile(site, now, id, videos))),
      );
    }
    faults.push(...(await checkWhileStable(read, (now) => checkHidden(site, now))));
  } finally {
    sqlite.close();
  }
  return faults;
}

/** In a single transaction, reads all rows that refer to files. */
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

/** Waits until all videos that are due have been published, and returns the rows. */
async function readOncePublished(read: () => Rows, videos: readonly Video[]): Promise<Rows> {
  const until = Date.now() + PUBLISH_TIMEOUT_MS;
  const isOverdue = (video: Video) =>
    video.allowed.some(
      ({ at, publishAt }) => at === "catalogue" && publishAt !== null && publishAt <= Date.now(),
    );
  for (;;) {
    const rows = read();
    const isPending = (video: Video) => isOverdue(video) && stateIn(rows, video).publishAt !== null;
    if (!videos.some(isPending) || Date.now() > until) return rows;
    await new Promise((next) => setTimeout(next, 200));
  }
}

/** Runs a check. If it finds something but the rows have changed in the meantime, runs it again. */
export async function checkWhileStable(
  read: () => Rows,
  find: (rows: Rows) => Promise<string[]> | string[],
): Promise<string[]> {
  let found: string[] = [];
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const before = read();
    found = await find(before);
    if (found.length === 0 || isDeepStrictEqual(before, read())) return found;
  }
  return found;
}

/** Finds URLs without a file and files without a URL. */
export function checkFiles(places: Places, rows: Rows): string[] {
  const find = (url: string) => fileOf(places, rows, url);
  return [
    ...[...rows.live, ...rows.trash].flatMap((row) => findMissing(row, find)),
    ...findStrays(places, rows),
    ...findStrayObjects(places, rows),
  ];
}

function stateIn({ live, trash }: Rows, video: Video): VideoState {
  const isMatch = ({ title }: Row) => title.startsWith(`${video.word} `);
  const row = live.find(isMatch) ?? trash.find(isMatch);
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

/** Compares a video's state with its allowed states. From then on, only the actual state is allowed. */
function settle(rows: Rows, video: Video): string[] {
  const state = stateIn(rows, video);
  const allowed = allowedNow(video, Date.now());
  video.allowed = [state];
  if (allowed.some((each) => isSame(each, state))) return [];
  return [
    `${video.word} is ${describeState(state)}; allowed: ${allowed.map(describeState).join(" | ")}`,
  ];
}

/** Returns the path of a file on disk, or the path of its object if the file exists only in the store. */
function fileOf({ site, store }: Places, { stored }: Rows, url: string): string {
  const name = decodeURIComponent(url.replace(/^\/media\//, "").replace(/\?.*$/, ""));
  const file = path.join(site.uploads, name);
  const object = stored.get(name);
  return store && object && !fs.existsSync(file) ? path.join(store, object) : file;
}

type FindFile = (url: string) => string;

function findMissing(row: Row, find: FindFile): string[] {
  const urls = FILE_COLUMNS.flatMap((name) => row[name] || []);
  const faults = urls
    .filter((url) => !fs.existsSync(find(url)) || fs.statSync(find(url)).size === 0)
    .map((url) => `${row.title}: ${url} is missing or empty`);
  if (!row.video_url && !row.source_url) faults.push(`${row.title}: has no file`);
  for (const url of urls.filter((each) => each.endsWith(".m3u8"))) {
    faults.push(
      ...findMissingParts(url, find).map(
        (part) => `${row.title}: ${part} of the stream is missing`,
      ),
    );
  }
  return faults;
}

/** Returns the files that a playlist refers to but that don't exist. */
function findMissingParts(url: string, find: FindFile): string[] {
  if (!fs.existsSync(find(url))) return [url];
  const text = fs.readFileSync(find(url), "utf8");
  const named = [...text.matchAll(/^[^#\s].*$/gm), ...text.matchAll(/URI="([^"]+)"/g)];
  return named.flatMap(([line, uri]) => {
    const { pathname } = new URL(uri ?? line, `http://site${url}`);
    if (pathname.endsWith(".m3u8")) return findMissingParts(pathname, find);
    return fs.existsSync(find(pathname)) ? [] : [pathname];
  });
}

/** Finds files in the buckets that don't belong to any row and aren't about to be removed. */
function findStrays(
  { site, expectedStrays }: Places,
  { live, trash, others, removals }: Rows,
): string[] {
  const bases = new Set([...(expectedStrays ?? []), ...basesOf([...live, ...trash, ...others])]);
  return (
    ["videos", "thumbnails"]
      .flatMap((bucket) => filesBelow(site.uploads, bucket))
      // Before files are removed, they are moved to `.removing`, where they keep their names.
      .map((name) =>
        name.replace(/\/\.removing\/(.+)$/, (_, aside: string) => `/${decodeURIComponent(aside)}`),
      )
      // These are copies left behind by a killed restore.
      .filter((name) => !/^\w+\/\.restore\//.test(name))
      .filter((name) => !bases.has(baseOf(`/media/${name}`)[0]!))
      .filter((name) => !removals.some((each) => name === each || name.startsWith(`${each}/`)))
      .map((name) => `${name} belongs to no row`)
  );
}

/** Finds missing objects. Also finds objects that don't belong to any file and aren't about to be removed. */
function findStrayObjects({ store, expectedStrays }: Places, { stored, removals }: Rows): string[] {
  if (!store) return [];
  const known = new Set([...(expectedStrays ?? []), ...stored.values(), "site.json"]);
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

/** Lists all files below a folder. Folders may disappear while they are being listed. */
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

/** Returns the base paths of all files that rows refer to. */
export function basesOf(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => FILE_COLUMNS.flatMap((name) => baseOf(row[name] ?? "")));
}

/** Returns the `{user}/{number}` part of a URL. */
export function baseOf(url: string): string[] {
  const found = /^\/media\/[^/]+\/([^/]+\/\d+)/.exec(url);
  return found ? [found[1]!] : [];
}

/** Finds videos whose file has decoding errors or a different number of frames than the uploaded file. */
function findDamaged(places: Places, rows: Rows, videos: readonly Video[]): string[] {
  return [...rows.live, ...rows.trash].flatMap((row) => {
    const video = videos.find(({ id }) => id === row.id);
    const urls = [row.video_url, row.source_url].filter((url) => url);
    return urls.flatMap((url) => {
      const file = fileOf(places, rows, url!);
      // `findMissing` reports missing files.
      if (!video || !fs.existsSync(file)) return [];
      const frames = framesOf(fs.readFileSync(file));
      return frames === video.frames
        ? []
        : [`${row.title}: ${url}: expected ${video.frames} frames, got ${frames}`];
    });
  });
}

/** Results by SHA-256. They are kept because most files don't change between kills. */
const decoded = new Map<string, number | string>();

/** Returns the number of frames in a video, or the reason why it can't be decoded. */
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

/** Checks that a video that hasn't been imported yet is still in the import folder. */
function findLostSources({ folder }: Places, { word, imported, allowed, sha256 }: Video): string[] {
  if (!folder || !imported || allowed[0]?.at !== "nowhere") return [];
  const file = path.join(folder, `${word}.mp4`);
  if (!fs.existsSync(file)) return [`${word} is neither in the catalogue nor in the import folder`];
  return digestOf(fs.readFileSync(file)) === sha256
    ? []
    : [`${word} has changed in the import folder`];
}

/** Checks that the file served for a public video has the same number of frames as the uploaded file. */
async function checkServedFile(
  site: SiteProcess,
  { live }: Rows,
  id: string,
  videos: readonly Video[],
): Promise<string[]> {
  const row = live.find((each) => each.id === id);
  if (row?.status !== "published" || !row.video_url) return [];
  // Retries the request, because the site may close an idle connection just when it is reused.
  const get = () => fetch(site.url + row.video_url);
  const response = await get().catch(get);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) return [`${row.title}: ${row.video_url} returns ${response.status}`];
  const video = videos.find((each) => each.id === id);
  const frames = framesOf(bytes);
  if (!video || frames === video.frames) return [];
  return [
    `${row.title}: ${row.video_url} as served: expected ${video.frames} frames, got ${frames}`,
  ];
}

/** Checks that the URLs of a video that isn't public don't work, and that no list contains the video. */
async function checkHidden(site: SiteProcess, rows: Rows): Promise<string[]> {
  const faults: string[] = [];
  const lists = await Promise.all(
    ["/", "/feed.xml", "/sitemap.xml", "/?q=torture", "/tags/torture"].map(async (page) => ({
      page,
      text: await (await fetch(site.url + page)).text(),
    })),
  );
  for (const row of [...rows.live.filter(({ status }) => status !== "published"), ...rows.trash]) {
    for (const url of [`/video/${row.id}`, ...FILE_COLUMNS.flatMap((name) => row[name] || [])]) {
      const { status } = await fetch(site.url + url, { method: "HEAD" });
      if (status !== 404) faults.push(`${row.title} is hidden, but ${url} returns ${status}`);
    }
    for (const { page, text } of lists) {
      if (text.includes(row.id)) faults.push(`${row.title} is hidden, but ${page} lists it`);
    }
  }
  return faults;
}
