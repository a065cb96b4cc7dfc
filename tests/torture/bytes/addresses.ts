import assert from "node:assert/strict";
import { manageHref, readDay, readManageView } from "~/features/library/list/manage-address";
import { readSeriesView, seriesHref } from "~/features/library/series/series-address";
import { readTagsView, tagsHref } from "~/features/library/tags/tags-address";
import { queueHref, readQueueView } from "~/features/processing/screens/queue-address";
import { readTrashView, trashHref } from "~/features/trash/trash-address";
import { isPublicAddress, parseAddress } from "~/features/upload/import/download.server";
import { bucketFile, mediaUrl, parseMediaUrl } from "~/media/bucket.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { captionsOfPlaylist } from "~/media/serve/stream-captions.server";
import { settings } from "~/platform/settings.server";
import { listPath, parseListLocation, tagPath, videoPath } from "~/shared/addresses";
import { ownMediaPath } from "~/shared/media-path";
import { pageParameter } from "~/shared/pages";
import { slugOf } from "~/shared/series/slug";
import { readPeriod } from "~/shared/statistics-address";
import { holds, LONGEST_HEADER, type Target, unless, words } from "./target";

const ORIGIN = "https://site.example";

const QUERY = words(
  "search= category= page= sort= length= from= t= tag= status= & = ? home categories trending tags desi views longest ".concat(
    "newest short long published hidden scheduled similar ready uploader= missing=1 size= 100 columns= title,views %00 +",
  ),
);

/** Reading an address that was written for what was read leads to the same again. */
function staysSame<View>(
  input: string,
  read: (parameters: URLSearchParams) => View,
  write: (view: View) => string,
): void {
  const view = read(new URLSearchParams(input));
  const href = write(view);
  assert.match(href, /^\/(?!\/)/);
  const again = read(new URL(href, ORIGIN).searchParams);
  assert.deepEqual(again, view);
  assert.equal(write(again), href);
}

/** Addresses, their queries, and what is made of them. */
export const ADDRESSES: readonly Target[] = [
  {
    name: "queries of lists",
    corpus: [
      "search=night%20walk&category=desi&page=2",
      "from=categories&category=desi&sort=views&length=long",
      "from=tags&tag=a&page=3",
    ],
    words: QUERY,
    longest: LONGEST_HEADER,
    feed(input) {
      const parameters = new URLSearchParams(input);
      const location = parseListLocation(parameters);
      assert.match(listPath(location), /^\/(?!\/)/);
      const path = videoPath("id", location, 5);
      const again = parseListLocation(new URL(path, ORIGIN).searchParams);
      assert.equal(videoPath("id", again, 5), path);
      assert.equal(listPath(again), listPath(location));
      const page = pageParameter(parameters);
      holds(Number.isSafeInteger(page) && page >= 1);
      holds([7, 30, 90].includes(readPeriod(parameters)));
    },
  },
  {
    name: "queries of the studio",
    corpus: [
      "tab=manage&search=x&status=published&sort=views&page=3",
      "status=scheduled&from=2026-01-01&to=2026-02-30&uploader=u&missing=1&size=100&columns=title,views",
    ],
    words: QUERY,
    longest: LONGEST_HEADER,
    feed(input) {
      staysSame(input, readManageView, (view) => manageHref(view));
      staysSame(input, readQueueView, (view) => queueHref(view));
      staysSame(input, readTagsView, (view) => tagsHref(view));
      staysSame(input, readTrashView, (view) => trashHref(view));
      const read = (parameters: URLSearchParams) => readSeriesView(undefined, parameters);
      staysSame(input, read, (view) => seriesHref(view));
    },
  },
  {
    name: "days",
    corpus: ["2026-01-31", "2026-01-31T10:00:00.000Z", "2026-02-30", "0000-00-00"],
    words: words("- T : Z 00 31 2026 .000 +01:00"),
    longest: 200,
    feed(input) {
      const day = readDay(input);
      if (day !== undefined) assert.equal(readDay(day), day);
    },
  },
  {
    name: "addresses of tags",
    corpus: ["night walk", "a/b", "..", "c#", "100%", "x.data", "日本"],
    words: words("/ . .. % # ? .data %2e \\ & ;"),
    longest: 500,
    feed(input) {
      const path = tagPath(input);
      const url = new URL(path, ORIGIN);
      assert.equal(url.origin, ORIGIN);
      assert.equal(url.pathname + url.search, path, "an address that a browser writes otherwise");
      const slug = slugOf(input);
      assert.equal(slugOf(slug), slug, "a slug of a slug");
      holds([...slug].length <= 80);
    },
  },
  {
    name: "addresses of files",
    corpus: [
      "/media/videos/u/1700000000000.mp4",
      "/media/thumbnails/u/1/poster.webp",
      "/media/videos/u/1/captions/en.vtt.m3u8",
    ],
    words: words("/media/ videos thumbnails / .. . // %2e%2e \\ ~ - .vtt.m3u8 /../ \0"),
    longest: LONGEST_HEADER,
    feed(input) {
      const name = parseMediaUrl(input);
      ownMediaPath(input);
      if (!name) return;
      const { bucket, path } = captionsOfPlaylist(name);
      assert.equal(parseMediaUrl(mediaUrl(bucket, path))?.path, path);
      const file = bucketFile(name.bucket, name.path);
      holds(
        file === undefined || file.startsWith(`${settings().uploadsDir}/${name.bucket}/`),
        file,
      );
      assert.equal(
        new URL(input, ORIGIN).pathname,
        input,
        "an address that a browser writes otherwise",
      );
    },
  },
  {
    name: "addresses to fetch",
    corpus: [
      "https://files.example/a.mp4",
      "https://[::1]/a",
      "https://u:p@x.example/",
      "http://x",
      "https://0x7f.1/",
    ],
    words: words(
      "https:// http:// @ : [ ] :: 127.1 0x7f 2130706433 localhost . # ? %31 \\ \t ::ffff:7f00:1",
    ),
    longest: 2_100,
    feed(input) {
      const url = unless(UploadError, () => parseAddress(input));
      isPublicAddress(input.trim());
      if (!url) return;
      assert.equal(url.protocol, "https:");
      assert.equal(url.username + url.password + url.hash, "");
      assert.equal(parseAddress(url.href).href, url.href);
    },
  },
];
