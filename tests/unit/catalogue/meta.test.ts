import type { MetaDescriptor } from "@remix-run/react";
import { describe, expect, it } from "vitest";
import {
  categoryMeta,
  homeMeta,
  trendingMeta,
  videoMeta,
} from "~/features/catalogue/catalogue-meta";
import { pageMeta } from "~/features/catalogue/page-meta";
import type { DescribedVideo } from "~/features/catalogue/structured-data";
import type { VideoPage } from "~/shared/video-card";

const site = { name: "Afterdark", origin: "https://videos.example" };
const video: DescribedVideo = {
  id: "a/b?c",
  title: 'Night "Train" </script>',
  description: "",
  category: "pornstar",
  duration: "5:30",
  durationSeconds: 330,
  views: 12,
  createdAt: "2026-01-31 12:00:00",
  updatedAt: "2026-02-01T00:00:00.000Z",
  thumbnailUrl: "/media/thumbnails/u/1.webp",
  previewUrl: "",
  videoUrl: "/media/videos/u/1.mp4",
  tags: ["one", "two"],
};
const list = (page = 1, pageCount = 1): VideoPage => ({
  videos: [video],
  page,
  pageCount,
  total: pageCount * 8,
});

type Json = Record<string, unknown>;
const jsonLd = (meta: MetaDescriptor[]) =>
  meta.flatMap((entry) =>
    "script:ld+json" in entry ? [entry["script:ld+json"] as unknown as Json] : [],
  );
const ofType = (meta: MetaDescriptor[], type: string) =>
  jsonLd(meta).find((json) => json["@type"] === type)!;
const title = (meta: MetaDescriptor[]) =>
  (meta.find((entry) => "title" in entry) as { title: string }).title;
const content = (meta: MetaDescriptor[], key: string) =>
  (
    meta.find(
      (entry) =>
        ("name" in entry && entry.name === key) || ("property" in entry && entry.property === key),
    ) as { content: string } | undefined
  )?.content;
const link = (meta: MetaDescriptor[], rel: string) =>
  (meta.find((entry) => "rel" in entry && entry.rel === rel) as { href: string } | undefined)?.href;

/** The properties required by schema.org's types and by search engines. */
const REQUIRED: Record<string, readonly string[]> = {
  VideoObject: ["name", "description", "thumbnailUrl", "uploadDate", "contentUrl", "duration"],
  BreadcrumbList: ["itemListElement"],
  ItemList: ["itemListElement", "numberOfItems"],
  WebSite: ["name", "url", "potentialAction"],
  SearchAction: ["target", "query-input"],
  EntryPoint: ["urlTemplate"],
  ListItem: ["position", "name"],
  InteractionCounter: ["interactionType", "userInteractionCount"],
  WatchAction: [],
};
const ABSOLUTE = ["url", "item", "contentUrl", "urlTemplate"];

/** Returns all errors in a structure and its nested structures. */
function missing(json: unknown, at = "$"): string[] {
  if (Array.isArray(json)) return json.flatMap((each, index) => missing(each, `${at}[${index}]`));
  if (typeof json !== "object" || json === null) return [];
  const object = json as Json;
  const required = REQUIRED[object["@type"] as string];
  if (!required) return [`${at} is of an unknown type ${String(object["@type"])}`];
  return [
    ...required.filter((name) => object[name] === undefined).map((name) => `${at}.${name}`),
    ...ABSOLUTE.filter(
      (name) => object[name] !== undefined && !String(object[name]).startsWith(site.origin),
    ).map((name) => `${at}.${name} is not absolute`),
    ...Object.entries(object).flatMap(([name, value]) => missing(value, `${at}.${name}`)),
  ];
}

const pages: Record<string, MetaDescriptor[]> = {
  home: homeMeta(site, { search: "", list: list() }),
  "home, page 2": homeMeta(site, { search: "", list: list(2, 3) }),
  "home, a category": homeMeta(site, { search: "", category: "desi", list: list() }),
  "home, a search": homeMeta(site, { search: "train & co", list: list() }),
  "home, a search in a category": homeMeta(site, {
    search: "train",
    category: "desi",
    list: list(),
  }),
  categories: categoryMeta(site, { list: list() }),
  "a category": categoryMeta(site, { category: "desi", list: list() }),
  "a category, page 2": categoryMeta(site, { category: "desi", list: list(2, 2) }),
  trending: trendingMeta(site, { list: list() }),
  video: videoMeta(site, video),
};

describe("the meta tags of every page", () => {
  it("include a unique title and description", () => {
    const titles = Object.values(pages).map(title);
    const descriptions = Object.values(pages).map((page) => content(page, "description"));
    expect(new Set(titles).size).toBe(titles.length);
    expect(new Set(descriptions).size).toBe(descriptions.length);
  });

  it.each(Object.entries(pages))("are complete and use absolute URLs: %s", (_, page) => {
    expect(title(page)).toMatch(/ \| Afterdark$/);
    expect(content(page, "description")!.length).toBeLessThanOrEqual(160);
    for (const key of ["og:title", "og:type", "og:site_name", "twitter:card"]) {
      expect(content(page, key)).toBeTruthy();
    }
    for (const url of [
      link(page, "canonical"),
      content(page, "og:url"),
      content(page, "og:image"),
      content(page, "twitter:image"),
    ]) {
      expect(url).toMatch(/^https:\/\/videos\.example\//);
    }
    expect(jsonLd(page).flatMap((json) => missing(json))).toEqual([]);
  });
});

it("shortens the category label to “Premium” before a noun", () => {
  const premium = { category: "premium", list: list() } as const;
  for (const meta of [
    homeMeta(site, { search: "", ...premium }),
    homeMeta(site, { search: "night", ...premium }),
    categoryMeta(site, premium),
    videoMeta(site, { ...video, category: "featured" }),
  ]) {
    const head = `${title(meta)} ${content(meta, "description")}`;
    expect(head).not.toContain("Premium Video");
    expect(head).toContain("Premium");
  }
  expect(title(categoryMeta(site, premium))).toBe("Premium videos | Afterdark");
});

it("keeps the page number in a shortened description", () => {
  const long = { search: "word ".repeat(40).trim() };
  const [first, second] = [list(1, 2), list(2, 2)].map((pages) =>
    content(homeMeta(site, { ...long, list: pages }), "description"),
  );
  expect(first).toMatch(/…$/);
  expect(second).toMatch(/… \(page 2\)$/);
  expect(second!.length).toBeLessThanOrEqual(160);
});

describe("the canonical URL", () => {
  it.each([
    ["home", "/"],
    ["home, page 2", "/?page=2"],
    ["home, a category", "/categories/desi"],
    ["home, a search", "/?search=train+%26+co"],
    ["a category, page 2", "/categories/desi?page=2"],
    ["trending", "/trending"],
    ["video", "/video/a%2Fb%3Fc"],
  ])("of “%s” is %s", (name, path) =>
    expect(link(pages[name]!, "canonical")).toBe(site.origin + path),
  );

  it("is accompanied by links to the previous and next pages", () => {
    expect(link(pages["home, page 2"]!, "prev")).toBe("https://videos.example/");
    expect(link(pages["home, page 2"]!, "next")).toBe("https://videos.example/?page=3");
    expect(link(pages.home!, "prev")).toBeUndefined();
    expect(link(pages["a category, page 2"]!, "prev")).toBe(
      "https://videos.example/categories/desi",
    );
  });
});

describe("metadata for search engines", () => {
  it("excludes only searches and pages marked noindex from indexing", () => {
    const hidden = Object.entries(pages).filter(
      ([, page]) => content(page, "robots") !== undefined,
    );
    expect(hidden.map(([name]) => name)).toEqual([
      "home, a search",
      "home, a search in a category",
    ]);
    const legal = pageMeta(site, { title: "T", description: "D", path: "/dmca", noindex: true });
    expect(content(legal, "robots")).toBe("noindex");
  });

  it("describes a video", () => {
    expect(ofType(pages.video!, "VideoObject")).toMatchObject({
      name: video.title,
      description: video.title,
      thumbnailUrl: ["https://videos.example/media/thumbnails/u/1.webp"],
      uploadDate: "2026-01-31T12:00:00.000Z",
      duration: "PT5M30S",
      contentUrl: "https://videos.example/media/videos/u/1.mp4",
      keywords: "one, two",
      isFamilyFriendly: false,
      interactionStatistic: { userInteractionCount: 12 },
    });
  });

  it("contains the default image for a video without a thumbnail, and no file URL for a video without a file", () => {
    const bare = videoMeta(site, { ...video, thumbnailUrl: null, videoUrl: "" });
    expect(ofType(bare, "VideoObject")).toMatchObject({
      thumbnailUrl: ["https://videos.example/share.png"],
    });
    expect(ofType(bare, "VideoObject").contentUrl).toBeUndefined();
    expect(content(bare, "og:video")).toBeUndefined();
  });

  it("numbers items by their position in the whole list, not on the page", () => {
    const items = ofType(pages["home, page 2"]!, "ItemList").itemListElement as Json[];
    expect(items.map((item) => item.position)).toEqual([9]);
  });

  it("contains the breadcrumb Home > Categories > category", () => {
    const { itemListElement } = ofType(pages["a category"]!, "BreadcrumbList");
    expect((itemListElement as Json[]).map(({ name, item }) => [name, item])).toEqual([
      ["Home", "https://videos.example/"],
      ["Categories", "https://videos.example/categories"],
      ["Desi", "https://videos.example/categories/desi"],
    ]);
  });
});

it("reports a missing required field in structured data", () => {
  const { uploadDate: _, ...rest } = ofType(pages.video!, "VideoObject");
  expect(missing(rest)).toEqual(["$.uploadDate"]);
});

it("shortens a long description at a word boundary", () => {
  const long = videoMeta(site, { ...video, description: `${"word ".repeat(60)}` });
  expect(content(long, "description")).toMatch(/^(word )+word…$/);
});
