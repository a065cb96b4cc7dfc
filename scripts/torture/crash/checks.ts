import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import type { SiteProcess } from "../../../tests/site-process";
import { trashName } from "~/media/trash-files.server";
import { filesIn } from "../../../tests/upload-requests";
import { allowedNow, described, type Film, type FilmState, isSame, NOWHERE } from "./model";

/** The site polls once a second; a machine that is busy may keep it for a while. */
const PUBLISHED_WITHIN_MS = 20_000;
const URLS = [
  "video_url",
  "source_url",
  "thumbnail_url",
  "hls_url",
  "storyboard_url",
  "preview_url",
];

type Row = Record<string, string | null> & { id: string; title: string };

interface Rows {
  live: Row[];
  trash: Row[];
  others: Row[];
}

/** Everything that has to be true after the site was killed and has started again. */
export async function check(site: SiteProcess, films: readonly Film[]): Promise<string[]> {
  const faults: string[] = [];
  const sqlite = new Sqlite(site.databasePath, { readonly: true, timeout: 5_000 });
  try {
    const integrity = sqlite.pragma("integrity_check", { simple: true });
    if (integrity !== "ok") faults.push(`integrity_check: ${integrity}`);
    const read = sqlite.transaction(
      (): Rows => ({
        live: sqlite.prepare("SELECT * FROM videos").all() as Row[],
        trash: sqlite
          .prepare("SELECT row FROM deleted_videos")
          .pluck()
          .all()
          .map((row) => JSON.parse(String(row))),
        others: sqlite.prepare("SELECT * FROM video_files WHERE state <> 'removed'").all() as Row[],
      }),
    );
    const until = Date.now() + PUBLISHED_WITHIN_MS;
    const isOverdue = (film: Film) =>
      film.allowed.some(
        ({ at, publishAt }) => at === "catalogue" && publishAt !== null && publishAt <= Date.now(),
      );
    let rows = read();
    while (films.some((film) => isOverdue(film) && stateIn(rows, film).publishAt !== null)) {
      if (Date.now() > until) break;
      await new Promise((next) => setTimeout(next, 200));
      rows = read();
    }
    for (const film of films) faults.push(...settle(rows, film));
    const known = new Set(films.flatMap(({ id }) => id ?? []));
    for (const { id, title } of [...rows.live, ...rows.trash]) {
      if (!known.has(id)) faults.push(`${title}: there is a row that nobody made, or two of one`);
    }
    for (const row of rows.live) faults.push(...missing(row, (url) => fileOf(site, url)));
    for (const row of rows.trash) faults.push(...missing(row, (url) => fileInTrash(site, row, url)));
    faults.push(...strays(site, rows));
    for (const row of rows.live) faults.push(...(await answers(site, row, films)));
    faults.push(...(await hidden(site, rows)));
  } finally {
    sqlite.close();
  }
  return faults;
}

function stateIn({ live, trash }: Rows, film: Film): FilmState {
  const isIt = ({ title }: Row) => title.startsWith(`${film.word} `);
  const row = live.find(isIt) ?? trash.find(isIt);
  if (!row) return NOWHERE;
  film.id = row.id;
  return {
    at: live.includes(row) ? "catalogue" : "trash",
    title: row.title,
    description: row.description ?? "",
    isPublic: row.status === "published",
    publishAt: row.publish_at ? Date.parse(row.publish_at) : null,
  };
}

/** What the catalogue has of the film is what it stays from now on. */
function settle(rows: Rows, film: Film): string[] {
  const state = stateIn(rows, film);
  const allowed = allowedNow(film, Date.now());
  film.allowed = [state];
  if (allowed.some((each) => isSame(each, state))) return [];
  return [`${film.word} is ${described(state)}; allowed: ${allowed.map(described).join(" | ")}`];
}

const fileOf = (site: SiteProcess, url: string) =>
  path.join(site.uploads, decodeURIComponent(url.replace(/^\/media\//, "").replace(/\?.*$/, "")));

/** A deletion moves the files out of the buckets. */
function fileInTrash(site: SiteProcess, row: Row, url: string): string {
  const inPlace = fileOf(site, url);
  const folder = path.join(site.uploads, ".trash", trashName(row.id));
  const moved = path.join(folder, path.relative(site.uploads, inPlace));
  return fs.existsSync(moved) ? moved : inPlace;
}

type Find = (url: string) => string;

function missing(row: Row, find: Find): string[] {
  const urls = URLS.flatMap((name) => row[name] || []);
  const faults = urls
    .filter((url) => !fs.existsSync(find(url)) || fs.statSync(find(url)).size === 0)
    .map((url) => `${row.title}: ${url} is missing or empty`);
  if (!row.video_url && !row.source_url) faults.push(`${row.title}: has no film`);
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

/** Files of the buckets that belong to no row. */
function strays(site: SiteProcess, { live, trash, others }: Rows): string[] {
  const bases = new Set(
    [...live, ...trash, ...others].flatMap((row) =>
      URLS.flatMap((name) => baseOf(row[name] ?? "")),
    ),
  );
  return filesIn(site.uploads)
    .filter(
      (name) => /^(videos|thumbnails)\//.test(name) && !bases.has(baseOf(`/media/${name}`)[0]!),
    )
    .map((name) => `${name} belongs to no row`);
}

/** An upload holds this empty folder until its row is there, and for a day when it was killed. */
function isReserved(site: SiteProcess, base: string): boolean {
  const folder = path.join(site.uploads, "videos", base);
  return fs.existsSync(folder) && fs.readdirSync(folder).length === 0;
}

/** `{user}/{number}` of an address. */
function baseOf(url: string): string[] {
  const found = /^\/media\/[^/]+\/([^/]+\/\d+)/.exec(url);
  return found ? [found[1]!] : [];
}

/** A film that is answered is the one that was sent, or a complete one that was made of it. */
async function answers(site: SiteProcess, row: Row, films: readonly Film[]): Promise<string[]> {
  if (row.status !== "published" || !row.video_url) return [];
  const answer = await fetch(site.url + row.video_url);
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) return [`${row.title}: ${row.video_url} answers ${answer.status}`];
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (films.find(({ id }) => id === row.id)?.sha256 === sha256) return [];
  const args = ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", "-i", "-"];
  try {
    const seconds = Number(execFileSync("ffprobe", args, { input: bytes, stdio: "pipe" }));
    return Math.abs(seconds - 1) < 0.3 ? [] : [`${row.title}: is answered with ${seconds} s`];
  } catch (error) {
    return [`${row.title}: is answered with no film: ${error}`];
  }
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
    for (const url of [`/video/${row.id}`, ...URLS.flatMap((name) => row[name] || [])]) {
      const { status } = await fetch(site.url + url, { method: "HEAD" });
      if (status !== 404) faults.push(`${row.title} is hidden, and ${url} answers ${status}`);
    }
    for (const { at, text } of lists) {
      if (text.includes(row.id)) faults.push(`${row.title} is hidden, and ${at} names it`);
    }
  }
  return faults;
}
