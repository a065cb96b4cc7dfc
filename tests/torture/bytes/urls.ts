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
import { assertTrue, ignoring, MAX_HEADER_LENGTH, type Target, words } from "./target";

const ORIGIN = "https://site.example";

const QUERY = words(
  "search= category= page= sort= length= from= t= tag= status= & = ? home categories trending tags desi views longest ".concat(
    "newest short long published hidden scheduled similar ready uploader= missing=1 size= 100 columns= title,views %00 +",
  ),
);

/** Parses a query into a view, and checks that the view stays the same when it is written to a URL and parsed again. */
function assertRoundTrip<View>(
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

/** Parsers for URLs and their query strings. */
export const URLS: readonly Target[] = [
  {
    name: "list queries",
    corpus: [
      "search=night%20walk&category=desi&page=2",
      "from=categories&category=desi&sort=views&length=long",
      "from=tags&tag=a&page=3",
    ],
    words: QUERY,
    maxLength: MAX_HEADER_LENGTH,
    feed(input) {
      const parameters = new URLSearchParams(input);
      const location = parseListLocation(parameters);
      assert.match(listPath(location), /^\/(?!\/)/);
      const path = videoPath("id", location, 5);
      const again = parseListLocation(new URL(path, ORIGIN).searchParams);
      assert.equal(videoPath("id", again, 5), path);
      assert.equal(listPath(again), listPath(location));
      const page = pageParameter(parameters);
      assertTrue(Number.isSafeInteger(page) && page >= 1);
      assertTrue([7, 30, 90].includes(readPeriod(parameters)));
    },
  },
  {
    name: "studio queries",
    corpus: [
      "tab=manage&search=x&status=published&sort=views&page=3",
      "status=scheduled&from=2026-01-01&to=2026-02-30&uploader=u&missing=1&size=100&columns=title,views",
    ],
    words: QUERY,
    maxLength: MAX_HEADER_LENGTH,
    feed(input) {
      assertRoundTrip(input, readManageView, (view) => manageHref(view));
      assertRoundTrip(input, readQueueView, (view) => queueHref(view));
      assertRoundTrip(input, readTagsView, (view) => tagsHref(view));
      assertRoundTrip(input, readTrashView, (view) => trashHref(view));
      const read = (parameters: URLSearchParams) => readSeriesView(undefined, parameters);
      assertRoundTrip(input, read, (view) => seriesHref(view));
    },
  },
  {
    name: "dates",
    corpus: ["2026-01-31", "2026-01-31T10:00:00.000Z", "2026-02-30", "0000-00-00"],
    words: words("- T : Z 00 31 2026 .000 +01:00"),
    maxLength: 200,
    feed(input) {
      const day = readDay(input);
      if (day !== undefined) assert.equal(readDay(day), day);
    },
  },
  {
    name: "tag URLs",
    corpus: ["night walk", "a/b", "..", "c#", "100%", "x.data", "日本"],
    words: words("/ . .. % # ? .data %2e \\ & ;"),
    maxLength: 500,
    feed(input) {
      const path = tagPath(input);
      const url = new URL(path, ORIGIN);
      assert.equal(url.origin, ORIGIN);
      assert.equal(url.pathname + url.search, path, "browsers write this URL differently");
      const slug = slugOf(input);
      assert.equal(slugOf(slug), slug, "not idempotent");
      assertTrue([...slug].length <= 80);
    },
  },
  {
    name: "file URLs",
    corpus: [
      "/media/videos/u/1700000000000.mp4",
      "/media/thumbnails/u/1/poster.webp",
      "/media/videos/u/1/captions/en.vtt.m3u8",
    ],
    words: words("/media/ videos thumbnails / .. . // %2e%2e \\ ~ - .vtt.m3u8 /../ \0"),
    maxLength: MAX_HEADER_LENGTH,
    feed(input) {
      const name = parseMediaUrl(input);
      ownMediaPath(input);
      if (!name) return;
      const { bucket, path } = captionsOfPlaylist(name);
      assert.equal(parseMediaUrl(mediaUrl(bucket, path))?.path, path);
      const file = bucketFile(name.bucket, name.path);
      assertTrue(
        file === undefined || file.startsWith(`${settings().uploadsDir}/${name.bucket}/`),
        file,
      );
      assert.equal(new URL(input, ORIGIN).pathname, input, "browsers write this URL differently");
    },
  },
  {
    name: "import URLs",
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
    maxLength: 2_100,
    feed(input) {
      const url = ignoring(UploadError, () => parseAddress(input));
      isPublicAddress(input.trim());
      if (!url) return;
      assert.equal(url.protocol, "https:");
      assert.equal(url.username + url.password + url.hash, "");
      assert.equal(parseAddress(url.href).href, url.href);
    },
  },
];
