import type { SiteIdentity } from "~/platform/site-origin.server";
import { tagPath, videoPath } from "~/shared/addresses";
import { CATEGORY_IDS } from "~/shared/categories";
import { isoTime } from "~/shared/format";
import { xmlElement, xmlText } from "~/shared/markup/xml";
import { seriesPath } from "~/shared/series/series-path";
import { publishedTags } from "../lists/published-tags.server";
import { publishedTotal } from "../lists/published-total.server";
import { type DescribedVideo, SHARE_PICTURE } from "../meta/structured-data";
import { publicSeries } from "../series/public-series.server";
import { walkPublished } from "./published-walk.server";

/** https://www.sitemaps.org/protocol.html and Google's video extension of it. */

/** The protocol allows no more in one file. */
export const SITEMAP_MOST = 50_000;
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9";
const TITLE_MOST = 100;
const DESCRIPTION_MOST = 2_048;
const TAGS_MOST = 32;
/** The extension knows no longer video. */
const SECONDS_MOST = 28_800;

/** The index: sitemaps of the pages, the tags and the series, and one for every 50,000 videos. */
export async function sitemapIndex(site: SiteIdentity, most = SITEMAP_MOST): Promise<string> {
  const parts = Math.ceil((await publishedTotal()).videos / most);
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

/** The pages that are no video and may be found. */
export function pagesSitemap(site: SiteIdentity): string {
  const paths = [
    ...["/", "/trending", "/categories"],
    ...CATEGORY_IDS.map((id) => `/categories/${id}`),
    "/contact",
  ];
  return urlSet(site, paths);
}

/** The lists of the 50,000 most used tags. */
export async function tagsSitemap(site: SiteIdentity): Promise<string> {
  return urlSet(site, (await publishedTags(SITEMAP_MOST)).map(tagPath));
}

/** The public series that have something to show. */
export function seriesSitemap(site: SiteIdentity): string {
  return urlSet(
    site,
    publicSeries(SITEMAP_MOST).map((slug) => seriesPath(slug)),
  );
}

function urlSet(site: SiteIdentity, paths: readonly string[]): string {
  const entries = paths.map((path) => `<url>${xmlElement("loc", site.origin + path)}</url>\n`);
  return `${HEAD}<urlset xmlns="${SCHEMA}">\n${entries.join("")}</urlset>\n`;
}

/** Part 1, 2, ... of the videos, piece by piece: fifty thousand entries are never in memory. */
export async function* videoSitemap(
  site: SiteIdentity,
  part: number,
  most = SITEMAP_MOST,
): AsyncGenerator<string> {
  yield `${HEAD}<urlset xmlns="${SCHEMA}" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">\n`;
  for await (const videos of walkPublished((part - 1) * most, most)) {
    yield videos.map((video) => videoEntry(site, video)).join("");
  }
  yield "</urlset>\n";
}

function videoEntry(site: SiteIdentity, video: DescribedVideo): string {
  const address = site.origin + videoPath(video.id);
  const element = (name: string, text: string | number) => xmlElement(`video:${name}`, text);
  const about = [
    element("thumbnail_loc", site.origin + (video.thumbnailUrl ?? SHARE_PICTURE)),
    element("title", cut(video.title, TITLE_MOST)),
    element("description", cut(video.description.trim() || video.title, DESCRIPTION_MOST)),
    element("content_loc", site.origin + video.videoUrl),
    video.durationSeconds > 0 && video.durationSeconds <= SECONDS_MOST
      ? element("duration", video.durationSeconds)
      : "",
    element("view_count", video.views),
    element("publication_date", isoTime(video.createdAt)),
    element("family_friendly", "no"),
    ...video.tags.slice(0, TAGS_MOST).map((tag) => element("tag", tag)),
  ].join("");
  // A video without a file is a page, but no video yet.
  const described = video.videoUrl ? `<video:video>${about}</video:video>` : "";
  return `<url><loc>${xmlText(address)}</loc>${xmlElement("lastmod", video.updatedAt)}${described}</url>\n`;
}

function cut(text: string, most: number): string {
  return [...text].slice(0, most).join("");
}
