import path from "node:path";
import { parseMediaUrl } from "~/media/bucket.server";
import { fileBytes } from "~/media/media-files.server";
import type { SiteIdentity } from "~/platform/site-origin.server";
import { tagFeedPath, tagPath, videoPath } from "~/shared/addresses";
import { categoryLabel } from "~/shared/categories";
import { parseTime } from "~/shared/format";
import { xmlElement, xmlText } from "~/shared/markup/xml";
import { seriesFeedPath, seriesPath } from "~/shared/series/series-path";
import { newestTagged } from "../lists/listing.server";
import type { DescribedVideo } from "../meta/structured-data";
import { type FoundSeries, lastOfSeries } from "../series/public-series.server";
import { describedAt, describedOf, walkPublished } from "./published-walk.server";

/** Items of the feed: the newest videos. */
const FEED_MOST = 50;

const TYPES: Record<string, string> = {
  ".mp4": "video/mp4",
  ".m4v": "video/mp4",
  ".webm": "video/webm",
  ".mov": "video/quicktime",
};

/** https://www.rssboard.org/rss-specification: the newest videos, each with its file enclosed. */
export async function rssFeed(site: SiteIdentity): Promise<string> {
  const videos: DescribedVideo[] = [];
  for await (const some of walkPublished(0, FEED_MOST)) videos.push(...some);
  return channel(site, videos, {
    title: site.name,
    description: `The newest videos on ${site.name}. Ages 18 and over.`,
    path: "/",
    feedPath: "/feed.xml",
  });
}

/**
 * The same of a tag; undefined when no video has it.
 *
 * @param tag canonical.
 */
export async function tagFeed(site: SiteIdentity, tag: string): Promise<string | undefined> {
  const videos = describedAt(await newestTagged(tag, FEED_MOST));
  if (videos.length === 0) return undefined;
  return channel(site, videos, {
    title: `${tag} | ${site.name}`,
    description: `The newest videos tagged “${tag}” on ${site.name}. Ages 18 and over.`,
    path: tagPath(tag),
    feedPath: tagFeedPath(tag),
  });
}

/** The same of a series, the last of its order first; undefined when it has nothing to show. */
export async function seriesFeed(
  site: SiteIdentity,
  { id, slug, title, description }: FoundSeries,
): Promise<string | undefined> {
  const videos = describedOf(lastOfSeries(id, FEED_MOST));
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

/** The length in bytes is required, so a file that doesn't exist is not enclosed. */
async function enclosure(site: SiteIdentity, url: string): Promise<string> {
  const type = TYPES[path.extname(url).toLowerCase()];
  if (!type) return "";
  const name = parseMediaUrl(url);
  const length = name && (await fileBytes(name));
  if (length === undefined) return "";
  return `<enclosure url="${xmlText(site.origin + url)}" length="${length}" type="${type}"/>`;
}
