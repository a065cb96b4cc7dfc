import type { MetaDescriptor } from "@remix-run/react";
import type { SiteIdentity } from "~/platform/site-origin.server";
import { categoryPath, listPath, tagFeedPath, videoPath } from "~/shared/addresses";
import { type CategoryId, categoryLabel, shortCategoryLabel } from "~/shared/categories";
import { formatQuantity } from "~/shared/format";
import {
  AGES,
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

/** Meta tags for the lists and for video pages. The meta tags for all other pages are in `page-meta.ts`. */

/** Returns the meta tags for Home. The title and description depend on the search text, category and page. */
export function homeMeta(
  site: SiteIdentity,
  shown: {
    search: string;
    close?: boolean;
    category?: CategoryId;
    view?: ListView;
    list: VideoPage;
  },
): MetaDescriptor[] {
  const { search, close, category, view = DEFAULT_VIEW, list } = shown;
  const order = viewWords(view);
  const label = category && shortCategoryLabel(category);
  const videos = label ? `${label} videos` : "videos";
  const title = search
    ? `${close ? "Close matches" : "Results"} for “${search}”${label ? ` in ${label}` : ""}`
    : label
      ? `${label}: free videos, ${order}`
      : `Free videos for adults, ${order}`;
  const description = search
    ? `${formatQuantity(list.total, "video")} matching “${search}”${label ? ` in ${label}` : ""} on ${site.name}. Free to watch, ages 18 and over.`
    : `Watch ${videos} for free on ${site.name}: ${formatQuantity(list.total, "video")}, ${order}. No account, no personal data, ages 18 and over.`;
  return listMeta(site, list, {
    title,
    description,
    address: (page) => listPath({ from: "home", search, close, category, ...view, page }),
    // A category's list has a separate canonical URL. Searches and other sort orders aren't indexed.
    path: listPath({
      ...{ from: category && !search ? "categories" : "home", search, close, category, ...view },
      page: list.page,
    }),
    noindex: search !== "" || !isDefaultView(view),
    about: webSite(site),
  });
}

/** Returns the meta tags for a category's list or, without a category, for the list of all videos. */
export function categoryMeta(
  site: SiteIdentity,
  shown: { category?: string; view?: ListView; list: VideoPage },
): MetaDescriptor[] {
  const { category, view = DEFAULT_VIEW, list } = shown;
  const label = category ? categoryLabel(category) : "All Videos";
  const shortLabel = category ? shortCategoryLabel(category) : label;
  const words = isDefaultView(view) ? "" : `, ${viewWords(view)}`;
  const trail = [{ name: "Categories", path: "/categories" }];
  if (category) trail.push({ name: label, path: categoryPath(category) });
  return listMeta(site, list, {
    title: (category ? `${shortLabel} videos` : "All videos by category") + words,
    name: label,
    description: `Browse ${formatQuantity(list.total, "video")} in ${shortLabel} on ${site.name}${words}. Free to watch, ages 18 and over.`,
    address: (page) => listPath({ from: "categories", category, ...view, page }),
    noindex: !isDefaultView(view),
    about: breadcrumbs(site, trail),
  });
}

/** Returns a description of the list, such as `newest first` or `longest first, 5 to 20 minutes`. */
function viewWords({ order, length, since, tags = [], not = [] }: ListView): string {
  const quoted = (names: readonly string[]) => names.map((name) => `“${name}”`).join(", ");
  return [
    LIST_ORDERS.find(({ id }) => id === order)?.first,
    LENGTHS.find(({ id }) => id === length)?.label.toLowerCase(),
    AGES.find(({ id }) => id === since)?.label.toLowerCase(),
    tags.length > 0 && `tagged ${quoted(tags)}`,
    not.length > 0 && `not tagged ${quoted(not)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

export function trendingMeta(site: SiteIdentity, shown: { list: VideoPage }): MetaDescriptor[] {
  const { list } = shown;
  return listMeta(site, list, {
    title: "Trending videos, most watched first",
    name: "Trending",
    description: `${formatQuantity(list.total, "video")} on ${site.name}, most watched first. Free to watch, ages 18 and over.`,
    address: (page) => listPath({ from: "trending", page }),
    about: breadcrumbs(site, [{ name: "Trending", path: "/trending" }]),
  });
}

/** Returns the meta tags for a tag, with its canonical URL and feed. A tag without videos isn't indexed. */
export function tagMeta(
  site: SiteIdentity,
  shown: { tag: string; list: VideoPage },
): MetaDescriptor[] {
  const { tag, list } = shown;
  const address = (page: number) => listPath({ from: "tags", tag, page });
  const title = `Videos tagged “${tag}”`;
  return listMeta(site, list, {
    title,
    description: `${formatQuantity(list.total, "video")} tagged “${tag}” on ${site.name}, newest first. Free to watch, ages 18 and over.`,
    address,
    noindex: list.total === 0,
    about: breadcrumbs(site, [{ name: title, path: address(1) }]),
    feed: tagFeedPath(tag),
  });
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
      image: video.thumbnailUrl,
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

/** Returns the meta tags for one page of a list. The page number is kept even if the description is shortened. */
export function listMeta(
  site: SiteIdentity,
  { videos, page, pageCount }: VideoPage,
  list: {
    title: string;
    /** The name of the list in structured data; defaults to the title. */
    name?: string;
    description: string;
    address: (page: number) => string;
    /** The canonical path, if it is the path of another list. */
    path?: string;
    image?: string | null;
    noindex?: boolean;
    about: Record<string, unknown>;
    feed?: string;
  },
): MetaDescriptor[] {
  const { title, name = title, description, address, path = address(page), about, feed } = list;
  const suffix = page > 1 ? ` (page ${page})` : "";
  const link = (rel: string, to: number) => ({
    ...{ tagName: "link" as const, rel },
    href: site.origin + address(to),
  });
  return [
    ...pageMeta(site, {
      title: title + suffix,
      description: shortened(description, DESCRIPTION_LENGTH - suffix.length) + suffix,
      path,
      image: list.image,
      noindex: list.noindex,
      structured: [about, itemList(site, name, videos, (page - 1) * PAGE_SIZE)],
    }),
    ...(page > 1 ? [link("prev", page - 1)] : []),
    ...(page < pageCount ? [link("next", page + 1)] : []),
    ...(feed
      ? [{ tagName: "link", rel: "alternate", type: "application/rss+xml", title, href: feed }]
      : []),
  ];
}
