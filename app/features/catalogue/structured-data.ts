import type { SiteIdentity } from "~/platform/site-origin.server";
import { videoPath } from "~/shared/addresses";
import { categoryLabel } from "~/shared/categories";
import { isoDuration, isoTime } from "~/shared/format";
import type { VideoCardData } from "~/shared/video-card";

// JSON-LD structured data with types from https://schema.org.

/** The default share image, for pages that aren't about a video and for videos without a thumbnail. */
export const SHARE_IMAGE = "/share.png";

type JsonLd = Record<string, unknown>;

/** Returns a https://schema.org/WebSite with an action for the search on Home. */
export function webSite(site: SiteIdentity): JsonLd {
  return {
    "@context": "https://schema.org",
    "@type": "WebSite",
    name: site.name,
    url: `${site.origin}/`,
    isFamilyFriendly: false,
    potentialAction: {
      "@type": "SearchAction",
      target: { "@type": "EntryPoint", urlTemplate: `${site.origin}/?search={search_term_string}` },
      "query-input": "required name=search_term_string",
    },
  };
}

/** Returns a https://schema.org/BreadcrumbList. The first item is Home, and the last is the page itself. */
export function breadcrumbs(
  site: SiteIdentity,
  trail: readonly { name: string; path: string }[],
): JsonLd {
  return {
    "@context": "https://schema.org",
    "@type": "BreadcrumbList",
    itemListElement: [{ name: "Home", path: "/" }, ...trail].map(({ name, path }, index) => ({
      "@type": "ListItem",
      position: index + 1,
      name,
      item: site.origin + path,
    })),
  };
}

/** Returns a https://schema.org/ItemList for one page of a list. Positions refer to the whole list. */
export function itemList(
  site: SiteIdentity,
  name: string,
  videos: readonly VideoCardData[],
  before: number,
): JsonLd {
  return {
    "@context": "https://schema.org",
    "@type": "ItemList",
    name,
    numberOfItems: videos.length,
    itemListElement: videos.map((video, index) => ({
      "@type": "ListItem",
      position: before + index + 1,
      name: video.title,
      url: site.origin + videoPath(video.id),
    })),
  };
}

export interface DescribedVideo extends VideoCardData {
  description: string;
  tags: string[];
  /** A path on this site; empty if there is no file. */
  videoUrl: string;
  durationSeconds: number;
  updatedAt: string;
}

/** Returns a https://schema.org/VideoObject, for which search engines require name, thumbnailUrl and uploadDate. */
export function videoObject(site: SiteIdentity, video: DescribedVideo): JsonLd {
  return {
    "@context": "https://schema.org",
    "@type": "VideoObject",
    name: video.title,
    description: video.description.trim() || video.title,
    thumbnailUrl: [site.origin + (video.thumbnailUrl ?? SHARE_IMAGE)],
    uploadDate: isoTime(video.createdAt),
    dateModified: isoTime(video.updatedAt),
    url: site.origin + videoPath(video.id),
    ...(video.durationSeconds > 0 && { duration: isoDuration(video.durationSeconds) }),
    ...(video.videoUrl && { contentUrl: site.origin + video.videoUrl }),
    ...(video.tags.length > 0 && { keywords: video.tags.join(", ") }),
    genre: categoryLabel(video.category),
    isFamilyFriendly: false,
    interactionStatistic: {
      "@type": "InteractionCounter",
      interactionType: { "@type": "WatchAction" },
      userInteractionCount: video.views,
    },
  };
}
