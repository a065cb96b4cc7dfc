import type { Video } from "./hidden-videos";
import { filesOf } from "./hidden-videos";

export interface VideoRequest {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

const FORM = "application/x-www-form-urlencoded";
const AGE = { Cookie: "age=18" };

/** Returns requests to each URL that identifies a video, in all variants that could reveal a hidden video. */
export function requestsFor(video: Video, etags: ReadonlyMap<string, string>): VideoRequest[] {
  const { id, word } = video;
  const pages = [
    ...["", "/", ".data", "?t=20", "?series=evenings", "?from=home&search=evening", "/view"].map(
      (rest) => `/video/${id}${rest}`,
    ),
    ...[`/video/${id}/stream`, `/video/${id}/watched`, `/report?video=${id}`],
    ...[`/report?video=${id}&kind=other`, `/admin/review/${id}`, `/admin/videos/${id}/statistics`],
    ...[`/preview/${id}`, `/series/evenings?video=${id}`, `/series/evenings.data?video=${id}`],
    ...[
      `/api/v1/videos/${id}`,
      `/admin/uploads/${id}`,
      `/VIDEO/${id}`,
      `/video/${id.toUpperCase()}`,
    ],
    `/video/%${id.charCodeAt(0).toString(16)}${id.slice(1)}`,
    ...[`/tags/${word}tag`, `/tags/${word}tag.data`, `/tags/${word}tag/feed.xml`, `/tags/${word}`],
    ...[`/?search=${word}`, `/_root.data?search=${word}`, `/?search=${word}tag`, `/?search=${id}`],
    ...[`/?search=${word}%20evening`, `/?search=${word.slice(0, 6)}`, `/?_data=${id}`],
    ...[word, `${word}tag`, word.slice(0, 5), word.slice(0, 8)].map(
      (typed) => `/search/suggestions?q=${typed}`,
    ),
  ];
  const posts: VideoRequest[] = [
    { path: `/video/${id}/view`, method: "POST" },
    {
      path: `/video/${id}/watched`,
      method: "POST",
      headers: { "Content-Type": "text/plain" },
      body: "1".repeat(20),
    },
    { path: "/saved/videos", method: "POST", headers: { "Content-Type": FORM }, body: `id=${id}` },
  ];
  return [
    ...pages.flatMap((path) => pageRequests(path, etags.get(path))),
    ...filesOf(video).flatMap((path) => fileRequests(path, etags.get(path))),
    ...posts,
  ];
}

function pageRequests(path: string, etag = 'W/"none"'): VideoRequest[] {
  const conditional = { "If-None-Match": etag, "Cache-Control": "max-age=0" };
  return [
    { path },
    { path, headers: AGE },
    { path, method: "HEAD" },
    { path, headers: conditional },
    { path, headers: { Cookie: "session=broken.signature; toast=broken" } },
  ];
}

function fileRequests(path: string, etag = '"none"'): VideoRequest[] {
  const headers: Record<string, string>[] = [
    AGE,
    { Range: "bytes=0-0" },
    { Range: "bytes=999999999-" },
    { Range: "bytes=0-9", "If-Range": etag },
    { "If-None-Match": etag },
    { "If-None-Match": "*" },
    { "If-Match": etag },
    { "If-Modified-Since": "Thu, 01 Jan 2099 00:00:00 GMT" },
    { "If-Unmodified-Since": "Thu, 01 Jan 1998 00:00:00 GMT" },
    { Cookie: "session=broken.signature" },
  ];
  const others = ["?v=1", "?w=320", ".data", "/", "/index.m3u8"].map((rest) => `${path}${rest}`);
  const variants = [
    path.replace("/media/", "/media//"),
    path.replace("u/", "u/./"),
    path.toUpperCase(),
  ];
  return [
    { path },
    ...headers.map((each) => ({ path, headers: each })),
    { path, method: "HEAD" },
    { path, method: "POST" },
    ...[...others, ...variants, `/preview/none${path}`].map((each) => ({ path: each })),
  ];
}

/** Returns the URLs of lists and other pages that show videos. */
export function listsWith(known: { id: string }): string[] {
  const data = (path: string) => (path === "/" ? "/_root.data" : `${path}.data`);
  const pages = ["/", "/categories", "/categories/desi", "/trending", "/tags/evening"];
  pages.push("/series/evenings", `/video/${known.id}`, "/saved", "/transparency");
  const characters = [..."abcdefghijklmnopqrstuvwxyz"];
  return [
    ...pages.flatMap((path) => [path, data(path)]),
    ...[
      "/?page=2",
      "/?search=evening",
      "/?search=eve&page=2",
      "/?search=e",
      "/categories/desi?page=2",
    ],
    ...["/feed.xml", "/tags/evening/feed.xml", "/series/evenings/feed.xml", "/sitemap.xml"],
    ...["/sitemap/1.xml", "/sitemap/tags.xml", "/sitemap/series.xml", "/sitemap/pages.xml"],
    ...["/robots.txt", "/manifest.webmanifest", "/transparency.json", "/healthz", "/metrics"],
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((step) => `/surprise?seed=7&step=${step}`),
    ...characters.map((character) => `/search/suggestions?q=${character}`),
    "/search/suggestions?q=evening",
    ...characters.slice(0, 6).map((character) => `/?search=${character}`),
  ];
}
