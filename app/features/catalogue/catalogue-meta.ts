import type { MetaDescriptor } from "@remix-run/react";
import type { SiteIdentity } from "~/platform/site-origin.server";
import { categoryPath, listPath, tagFeedPath, videoPath } from "~/shared/addresses";
import { type CategoryId, categoryLabel, shortCategoryLabel } from "~/shared/categories";
import { formatQuantity } from "~/shared/format";
import {
  DEFAULT_VIEW,
  isDefaultView,
  LENGTHS,
  LIST_ORDERS,
  type ListView,
} from "~/shared/list-view";
import { PAGE_SIZE } from "~/shared/pages";
import type { VideoPage } from "~/shared/video-card";
import { DESCRIPTION_LENGTH, pageMeta, shortened } from "./page-meta";
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
  shown: { search: string; category?: CategoryId; view?: ListView; list: VideoPage },
): MetaDescriptor[] {
  const { search, category, view = DEFAULT_VIEW, list } = shown;
  const order = viewWords(view);
  const label = category && shortCategoryLabel(category);
  const videos = label ? `${label} videos` : "videos";
  const title = search
    ? `Results for “${search}”${label ? ` in ${label}` : ""}`
    : label
      ? `${label}: free videos, ${order}`
      : `Free videos for adults, ${order}`;
  const description = search
    ? `${formatQuantity(list.total, "video")} matching “${search}”${label ? ` in ${label}` : ""} on ${site.name}. Free to watch, ages 18 and over.`
    : `Watch ${videos} for free on ${site.name}: ${formatQuantity(list.total, "video")}, ${order}. No account, no personal data, ages 18 and over.`;
  return [
    ...pageMeta(site, {
      title: onPage(title, list),
      description: describePage(description, list),
      // The list of a category has its own address; a search or another order is not for search engines.
      path: listPath({
        ...{ from: category && !search ? "categories" : "home", search, category, ...view },
        page: list.page,
      }),
      noindex: search !== "" || !isDefaultView(view),
      structured: [webSite(site), itemList(site, title, list.videos, before(list))],
    }),
    ...neighbours(site, list, (page) =>
      listPath({ from: "home", search, category, ...view, page }),
    ),
  ];
}

/** Categories: All Videos when no category is chosen. */
export function categoryMeta(
  site: SiteIdentity,
  shown: { category?: string; view?: ListView; list: VideoPage },
): MetaDescriptor[] {
  const { category, view = DEFAULT_VIEW, list } = shown;
  const label = category ? categoryLabel(category) : "All Videos";
  const shortLabel = category ? shortCategoryLabel(category) : label;
  const address = (page: number) => listPath({ from: "categories", category, ...view, page });
  const words = isDefaultView(view) ? "" : `, ${viewWords(view)}`;
  const trail = [{ name: "Categories", path: "/categories" }];
  if (category) trail.push({ name: label, path: categoryPath(category) });
  return [
    ...pageMeta(site, {
      title: onPage((category ? `${shortLabel} videos` : "All videos by category") + words, list),
      description: describePage(
        `Browse ${formatQuantity(list.total, "video")} in ${shortLabel} on ${site.name}${words}. Free to watch, ages 18 and over.`,
        list,
      ),
      path: address(list.page),
      noindex: !isDefaultView(view),
      structured: [breadcrumbs(site, trail), itemList(site, label, list.videos, before(list))],
    }),
    ...neighbours(site, list, address),
  ];
}

/** `newest first`, `longest first, 5 to 20 minutes`. */
function viewWords({ order, length }: ListView): string {
  const words = LIST_ORDERS.find(({ id }) => id === order)?.first ?? "";
  const label = LENGTHS.find(({ id }) => id === length)?.label;
  return label ? `${words}, ${label.toLowerCase()}` : words;
}

export function trendingMeta(site: SiteIdentity, shown: { list: VideoPage }): MetaDescriptor[] {
  const { list } = shown;
  const address = (page: number) => listPath({ from: "trending", page });
  return [
    ...pageMeta(site, {
      title: onPage("Trending videos, most watched first", list),
      description: describePage(
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
      description: describePage(
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
        video.description.trim() ||
        `Watch “${video.title}” for free on ${site.name}, in ${shortCategoryLabel(video.category)}.`,
      path,
      picture: video.thumbnailUrl,
      type: "video.other",
      structured: [
        videoObject(site, video),
        breadcrumbs(site, [
          { name: label, path: categoryPath(video.category) },
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

export function neighbours(
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

export function onPage(text: string, { page }: VideoPage): string {
  return page > 1 ? `${text} (page ${page})` : text;
}

/** Returns a description that names the page also where its text is cut. */
export function describePage(text: string, { page }: VideoPage): string {
  const suffix = page > 1 ? ` (page ${page})` : "";
  return shortened(text, DESCRIPTION_LENGTH - suffix.length) + suffix;
}

function before(list: VideoPage): number {
  return (list.page - 1) * PAGE_SIZE;
}
