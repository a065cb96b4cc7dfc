import type { MetaDescriptor } from "@remix-run/react";
import type { SiteIdentity } from "~/platform/site-origin.server";
import { formatQuantity } from "~/shared/format";
import { PAGE_SIZE } from "~/shared/pages";
import { seriesFeedPath, seriesPath } from "~/shared/series/series-path";
import type { VideoPage } from "~/shared/video-card";
import type { SeriesDetail } from "../series/public-series.server";
import { describePage, neighbours, onPage } from "./catalogue-meta";
import { pageMeta } from "./page-meta";
import { breadcrumbs, itemList } from "./structured-data";

/** A series, with its canonical address and its feed; what visitors don't see is not for search engines. */
export function seriesMeta(
  site: SiteIdentity,
  { series, list }: { series: SeriesDetail; list: VideoPage },
): MetaDescriptor[] {
  const { slug, title, description, isPublic } = series;
  const address = (page: number) => seriesPath(slug, page);
  const words =
    description ||
    `“${title}”: ${formatQuantity(list.total, "video")} in order on ${site.name}. Free to watch, ages 18 and over.`;
  return [
    ...pageMeta(site, {
      title: onPage(title, list),
      description: describePage(words, list),
      path: address(list.page),
      picture: list.videos[0]?.thumbnailUrl,
      noindex: !isPublic || list.total === 0,
      structured: [
        breadcrumbs(site, [{ name: title, path: address(1) }]),
        itemList(site, title, list.videos, (list.page - 1) * PAGE_SIZE),
      ],
    }),
    ...neighbours(site, list, address),
    {
      tagName: "link",
      rel: "alternate",
      type: "application/rss+xml",
      title,
      href: seriesFeedPath(slug),
    },
  ];
}
