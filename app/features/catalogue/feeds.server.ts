import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { parseMediaUrl } from "~/media/bucket.server";
import { fileBytes } from "~/media/media-files.server";
import type { SiteIdentity } from "~/platform/site-origin.server";
import { tagFeedPath, tagPath, videoPath } from "~/shared/addresses";
import { CATEGORY_IDS, categoryLabel } from "~/shared/categories";
import { isoTime, parseDuration, parseTime } from "~/shared/format";
import { xmlElement, xmlText } from "~/shared/markup/xml";
import { ownMediaPath } from "~/shared/media-path";
import { seriesFeedPath, seriesPath } from "~/shared/series/series-path";
import { prepared } from "~db/client.server";
import { readTags } from "~db/tags";
import { queryThread } from "~db/threads/query-thread.server";
import type { ListQuery } from "./list-query.server";
import { type CardRow, newestTagged, publishedTotal, toCard } from "./published-list.server";
import { type FoundSeries, lastOfSeries, publicSeries } from "./series.server";
import { type DescribedVideo, SHARE_IMAGE } from "./structured-data";
import { publishedTags, type RequestedTag } from "./tags.server";

/** The maximum number of items in a feed. */
const MAX_FEED_ITEMS = 50;

const TYPES: Record<string, string> = {
  ".mp4": "video/mp4",
  ".m4v": "video/mp4",
  ".webm": "video/webm",
  ".mov": "video/quicktime",
};

/** Returns the RSS feed (https://www.rssboard.org/rss-specification) of the newest videos, including their files. */
export async function rssFeed(site: SiteIdentity): Promise<string> {
  const videos: DescribedVideo[] = [];
  for await (const some of walkPublished(0, MAX_FEED_ITEMS)) videos.push(...some);
  return channel(site, videos, {
    title: site.name,
    description: `The newest videos on ${site.name}. Ages 18 and over.`,
    path: "/",
    feedPath: "/feed.xml",
  });
}

/** Returns the RSS feed for a tag; undefined if no video has the tag. */
export async function tagFeed(
  site: SiteIdentity,
  { tag, name }: RequestedTag,
): Promise<string | undefined> {
  const videos = described("sort_key", await newestTagged(tag, MAX_FEED_ITEMS));
  if (videos.length === 0) return undefined;
  return channel(site, videos, {
    title: `${name} | ${site.name}`,
    description: `The newest videos tagged “${name}” on ${site.name}. Ages 18 and over.`,
    path: tagPath(name),
    feedPath: tagFeedPath(name),
  });
}

/** Returns the RSS feed for a series, starting with its last video; undefined if the series has no published videos. */
export async function seriesFeed(
  site: SiteIdentity,
  { id, slug, title, description }: FoundSeries,
): Promise<string | undefined> {
  const videos = described("id", lastOfSeries(id, MAX_FEED_ITEMS));
  if (videos.length === 0) return undefined;
  return channel(site, videos, {
    title: `${title} | ${site.name}`,
    description: description || `The series “${title}” on ${site.name}. Ages 18 and over.`,
    path: seriesPath(slug),
    feedPath: seriesFeedPath(slug),
  });
}

async function channel(
  site: SiteIdentity,
  videos: readonly DescribedVideo[],
  about: { title: string; description: string; path: string; feedPath: string },
): Promise<string> {
  const items = await Promise.all(videos.map((video) => item(site, video)));
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
${xmlElement("title", about.title)}
${xmlElement("link", site.origin + about.path)}
${xmlElement("description", about.description)}
<language>en</language>
<atom:link href="${xmlText(site.origin + about.feedPath)}" rel="self" type="application/rss+xml"/>
${items.join("\n")}
</channel></rss>
`;
}

async function item(site: SiteIdentity, video: DescribedVideo): Promise<string> {
  const address = site.origin + videoPath(video.id);
  return `<item>${[
    xmlElement("title", video.title),
    xmlElement("link", address),
    `<guid isPermaLink="true">${xmlText(address)}</guid>`,
    xmlElement("pubDate", new Date(parseTime(video.createdAt) || 0).toUTCString()),
    xmlElement("category", categoryLabel(video.category)),
    xmlElement("description", video.description.trim() || video.title),
    await enclosure(site, video.videoUrl),
  ].join("")}</item>`;
}

/**
 * Returns the enclosure element; empty if the file doesn't exist, because the element requires the file's size in
 * bytes.
 */
async function enclosure(site: SiteIdentity, url: string): Promise<string> {
  const type = TYPES[path.extname(url).toLowerCase()];
  if (!type) return "";
  const name = parseMediaUrl(url);
  const length = name && (await fileBytes(name));
  if (length === undefined) return "";
  return `<enclosure url="${xmlText(site.origin + url)}" length="${length}" type="${type}"/>`;
}

// Sitemaps (https://www.sitemaps.org/protocol.html) with Google's video extension.

/** The maximum number of URLs that the protocol allows in one file. */
export const MAX_SITEMAP = 50_000;
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9";
const MAX_TITLE = 100;
const MAX_DESCRIPTION = 2_048;
const MAX_TAGS = 32;
/** The maximum duration that the video extension allows. */
const MAX_SECONDS = 28_800;

/**
 * Returns the sitemap index, which lists the sitemaps for pages, tags and series, and one sitemap for every 50,000
 * videos.
 */
export async function sitemapIndex(site: SiteIdentity, max = MAX_SITEMAP): Promise<string> {
  const parts = Math.ceil((await publishedTotal()).videos / max);
  const tags = (await publishedTags(1)).length > 0 ? ["tags"] : [];
  const series = publicSeries(1).length > 0 ? ["series"] : [];
  const names = [
    "pages",
    ...tags,
    ...series,
    ...Array.from({ length: parts }, (_, i) => `${i + 1}`),
  ];
  const entries = names.map(
    (name) => `<sitemap>${xmlElement("loc", `${site.origin}/sitemap/${name}.xml`)}</sitemap>\n`,
  );
  return `${HEAD}<sitemapindex xmlns="${SCHEMA}">\n${entries.join("")}</sitemapindex>\n`;
}

/** Returns the sitemap of all indexed pages that aren't video pages. */
export function pagesSitemap(site: SiteIdentity): string {
  const paths = [
    ...["/", "/trending", "/categories"],
    ...CATEGORY_IDS.map((id) => `/categories/${id}`),
    "/contact",
  ];
  return urlSet(site, paths);
}

/** Returns the sitemap of the 50,000 most used tags. */
export async function tagsSitemap(site: SiteIdentity): Promise<string> {
  return urlSet(site, (await publishedTags(MAX_SITEMAP)).map(tagPath));
}

/** Returns the sitemap of the public series with published videos. */
export function seriesSitemap(site: SiteIdentity): string {
  return urlSet(
    site,
    publicSeries(MAX_SITEMAP).map((slug) => seriesPath(slug)),
  );
}

function urlSet(site: SiteIdentity, paths: readonly string[]): string {
  const entries = paths.map((path) => `<url>${xmlElement("loc", site.origin + path)}</url>\n`);
  return `${HEAD}<urlset xmlns="${SCHEMA}">\n${entries.join("")}</urlset>\n`;
}

/**
 * Yields one part (1, 2, …) of the video sitemap in chunks, so that its 50,000 entries are never all in memory at the
 * same time.
 */
export async function* videoSitemap(
  site: SiteIdentity,
  part: number,
  max = MAX_SITEMAP,
): AsyncGenerator<string> {
  yield `${HEAD}<urlset xmlns="${SCHEMA}" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">\n`;
  for await (const videos of walkPublished((part - 1) * max, max)) {
    yield videos.map((video) => videoEntry(site, video)).join("");
  }
  yield "</urlset>\n";
}

function videoEntry(site: SiteIdentity, video: DescribedVideo): string {
  const address = site.origin + videoPath(video.id);
  const element = (name: string, text: string | number) => xmlElement(`video:${name}`, text);
  const about = [
    element("thumbnail_loc", site.origin + (video.thumbnailUrl ?? SHARE_IMAGE)),
    element("title", truncated(video.title, MAX_TITLE)),
    element("description", truncated(video.description.trim() || video.title, MAX_DESCRIPTION)),
    element("content_loc", site.origin + video.videoUrl),
    video.durationSeconds > 0 && video.durationSeconds <= MAX_SECONDS
      ? element("duration", video.durationSeconds)
      : "",
    element("view_count", video.views),
    element("publication_date", isoTime(video.createdAt)),
    element("family_friendly", "no"),
    ...video.tags.slice(0, MAX_TAGS).map((tag) => element("tag", tag)),
  ].join("");
  // If there is no file, only the page is listed.
  const described = video.videoUrl ? `<video:video>${about}</video:video>` : "";
  return `<url><loc>${xmlText(address)}</loc>${xmlElement("lastmod", video.updatedAt)}${described}</url>\n`;
}

function truncated(text: string, length: number): string {
  return [...text].slice(0, length).join("");
}

/** How many videos to read per chunk. Reading this many doesn't delay other requests noticeably. */
const CHUNK_SIZE = 250;

interface Row extends CardRow {
  description: string;
  tags: string | null;
  updated_at: string;
}

/** Yields the published videos in chunks, newest first, starting at an offset. */
async function* walkPublished(offset: number, limit: number): AsyncGenerator<DescribedVideo[]> {
  const query: ListQuery = { order: "newest", categories: [], fromEnd: false, limit, offset };
  const numbers = await queryThread<number[]>("reading", "list", query);
  for (let at = 0; at < numbers.length; at += CHUNK_SIZE) {
    yield described("number", numbers.slice(at, at + CHUNK_SIZE));
    await setImmediate();
  }
}

/** Returns the published videos with the given keys, in the same order. */
function described(
  key: "number" | "sort_key" | "id",
  keys: readonly (number | bigint | string)[],
): DescribedVideo[] {
  const rows = prepared<Row>(`
    SELECT videos.* FROM json_each(?) AS requested CROSS JOIN videos ON videos.${key} = requested.value
    WHERE +listed ORDER BY requested.key`).all(
    `[${keys.map((each) => (typeof each === "string" ? JSON.stringify(each) : each))}]`,
  );
  return rows.map((row) => ({
    ...toCard(row),
    description: row.description,
    tags: readTags(row.tags),
    videoUrl: ownMediaPath(row.video_url) ?? "",
    durationSeconds: parseDuration(row.duration) ?? 0,
    updatedAt: isoTime(row.updated_at),
  }));
}
