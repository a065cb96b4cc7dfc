import type { MetaDescriptor } from "@remix-run/react";
import type { SiteIdentity } from "~/server/site-origin.server";
import { listPath, tagFeedPath, videoPath } from "~/shared/addresses";
import { type CategoryId, categoryLabel, toCategoryId } from "~/shared/categories";
import { formatQuantity } from "~/shared/format";
import { PAGE_SIZE } from "~/shared/pages";
import type { VideoPage } from "~/shared/video-card";
import { pageMeta } from "./page-meta";
import {
  breadcrumbs,
  type DescribedVideo,
  itemList,
  videoObject,
  webSite,
} from "./structured-data";

/** The heads of the lists and of a video; `page-meta.ts` has that of any other page. */

/** Home: its title and description vary with the search text, the category and the page. */
export function homeMeta(
  site: SiteIdentity,
  shown: { search: string; category?: CategoryId; list: VideoPage },
): MetaDescriptor[] {
  const { search, category, list } = shown;
  const videos = category ? `${categoryLabel(category)} videos` : "videos";
  const title = search
    ? `“${search}” in ${videos}`
    : category
      ? `${categoryLabel(category)}: free videos, newest first`
      : "Free videos for adults, newest first";
  const description = search
    ? `${formatQuantity(list.total, "video")} matching “${search}”${category ? ` in ${categoryLabel(category)}` : ""} on ${site.name}. Free to watch, ages 18 and over.`
    : `Watch ${videos} for free on ${site.name}: ${formatQuantity(list.total, "video")}, newest first. No account, no personal data, ages 18 and over.`;
  return [
    ...pageMeta(site, {
      title: onPage(title, list),
      description: onPage(description, list),
      // The list of a category has its own address; that of a search is not for search engines.
      path:
        category && !search
          ? categoryAddress(category, list.page)
          : listAddress("/", { search, category, page: list.page }),
      noindex: search !== "",
      structured: [webSite(site), itemList(site, title, list.videos, before(list))],
    }),
    ...neighbours(site, list, (page) => listAddress("/", { search, category, page })),
  ];
}

/** Categories: All Videos when no category is chosen. */
export function categoryMeta(
  site: SiteIdentity,
  shown: { category?: CategoryId; list: VideoPage },
): MetaDescriptor[] {
  const { category, list } = shown;
  const label = category ? categoryLabel(category) : "All Videos";
  const address = (page: number) => categoryAddress(category, page);
  const trail = [{ name: "Categories", path: "/categories" }];
  if (category) trail.push({ name: label, path: address(1) });
  return [
    ...pageMeta(site, {
      title: onPage(category ? `${label} videos` : "All videos by category", list),
      description: onPage(
        `Browse ${formatQuantity(list.total, "video")} in ${label} on ${site.name}. Free to watch, ages 18 and over.`,
        list,
      ),
      path: address(list.page),
      structured: [breadcrumbs(site, trail), itemList(site, label, list.videos, before(list))],
    }),
    ...neighbours(site, list, address),
  ];
}

export function trendingMeta(site: SiteIdentity, shown: { list: VideoPage }): MetaDescriptor[] {
  const { list } = shown;
  const address = (page: number) => listAddress("/trending", { page });
  return [
    ...pageMeta(site, {
      title: onPage("Trending videos, most watched first", list),
      description: onPage(
        `The most watched of ${formatQuantity(list.total, "video")} on ${site.name}, by views. Free to watch, ages 18 and over.`,
        list,
      ),
      path: address(list.page),
      structured: [
        breadcrumbs(site, [{ name: "Trending", path: "/trending" }]),
        itemList(site, "Trending", list.videos, before(list)),
      ],
    }),
    ...neighbours(site, list, address),
  ];
}

/** A tag, with its canonical address and its feed; a tag that no video has is not for search engines. */
export function tagMeta(
  site: SiteIdentity,
  shown: { tag: string; list: VideoPage },
): MetaDescriptor[] {
  const { tag, list } = shown;
  const address = (page: number) => listPath({ from: "tags", tag, page });
  const name = `Videos tagged “${tag}”`;
  return [
    ...pageMeta(site, {
      title: onPage(name, list),
      description: onPage(
        `${formatQuantity(list.total, "video")} tagged “${tag}” on ${site.name}, newest first. Free to watch, ages 18 and over.`,
        list,
      ),
      path: address(list.page),
      noindex: list.total === 0,
      structured: [
        breadcrumbs(site, [{ name, path: address(1) }]),
        itemList(site, name, list.videos, before(list)),
      ],
    }),
    ...neighbours(site, list, address),
    {
      tagName: "link",
      rel: "alternate",
      type: "application/rss+xml",
      title: name,
      href: tagFeedPath(tag),
    },
  ];
}

export function videoMeta(site: SiteIdentity, video: DescribedVideo): MetaDescriptor[] {
  const label = categoryLabel(video.category);
  const path = videoPath(video.id);
  return [
    ...pageMeta(site, {
      title: video.title,
      description:
        video.description.trim() || `Watch “${video.title}” for free on ${site.name}, in ${label}.`,
      path,
      picture: video.thumbnailUrl,
      type: "video.other",
      structured: [
        videoObject(site, video),
        breadcrumbs(site, [
          { name: label, path: categoryAddress(toCategoryId(video.category), 1) },
          { name: video.title, path },
        ]),
      ],
    }),
    ...(video.videoUrl
      ? [
          { property: "og:video", content: site.origin + video.videoUrl },
          { property: "video:duration", content: String(video.durationSeconds) },
        ]
      : []),
  ];
}

/** Home > Categories > category, with the canonical address of a category. */
function categoryAddress(category: CategoryId | undefined, page: number): string {
  return listAddress(category ? `/categories/${category}` : "/categories", { page });
}

/** A parameter at its default is left out. */
function listAddress(
  path: string,
  { search, category, page }: { search?: string; category?: string; page: number },
): string {
  const parameters = new URLSearchParams();
  if (search) parameters.set("search", search);
  if (category) parameters.set("category", category);
  if (page > 1) parameters.set("page", String(page));
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

function neighbours(
  site: SiteIdentity,
  { page, pageCount }: VideoPage,
  address: (page: number) => string,
): MetaDescriptor[] {
  const links: MetaDescriptor[] = [];
  if (page > 1) links.push({ tagName: "link", rel: "prev", href: site.origin + address(page - 1) });
  if (page < pageCount) {
    links.push({ tagName: "link", rel: "next", href: site.origin + address(page + 1) });
  }
  return links;
}

function onPage(text: string, { page }: VideoPage): string {
  return page > 1 ? `${text} (page ${page})` : text;
}

function before(list: VideoPage): number {
  return (list.page - 1) * PAGE_SIZE;
}
