import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loader as home } from "~/features/catalogue/routes/home";
import { meta, loader as page } from "~/features/catalogue/routes/series";
import { loader as feed } from "~/features/catalogue/routes/series-feed";
import { loader as sitemap } from "~/features/catalogue/routes/sitemap";
import { openSession } from "~/features/permissions/session.server";
import { loader as videoPage } from "~/features/watch/routes/video";
import { sqliteHandle } from "~db/client.server";
import { ids, video, write } from "../../catalogue-rows";
import { addSeries } from "../../series-requests";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

const ORIGIN = "https://videos.example";
const identity = { name: "Afterdark", origin: ORIGIN };

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ PUBLIC_URL: ORIGIN });
});
afterEach(() => site.remove());

const args = (url: string, headers = {}) => {
  const request = new Request(ORIGIN + url, { headers });
  const [, , part] = new URL(request.url).pathname.split("/");
  const name = decodeURIComponent(part ?? "");
  return { request, params: { slug: name, id: name, part: name }, context: {} } as never;
};

/** Returns the Response that a loader returns or throws. */
const thrown = (work: Promise<unknown>): Promise<Response> =>
  work.then(
    () => expect.fail("nothing was thrown"),
    (response: Response) => response,
  );

async function open(url: string, headers = {}) {
  const { data, init } = await page(args(url, headers));
  return { ...data, status: init?.status, ids: ids(data.list.videos) };
}

async function watch(url: string) {
  return (await videoPage(args(url))).series;
}

/** Adds a series of twelve videos. The second and the fifth of them aren't published. */
function twelve() {
  const names = Array.from({ length: 12 }, (_, n) => `v${n}`);
  write(
    names.map((id, n) =>
      video({
        id,
        title: `Video ${n}`,
        status: n === 1 ? "hidden" : n === 4 ? "review" : "published",
      }),
    ),
  );
  return addSeries({ description: "One after the other" }, names);
}

describe("a series page", () => {
  it("shows its published videos in order, and clamps page numbers", async () => {
    twelve();
    expect(await open("/series/nights")).toMatchObject({
      status: 200,
      ids: ["v0", "v2", "v3", "v5", "v6", "v7", "v8", "v9"],
      list: { total: 10, page: 1, pageCount: 2 },
      series: { title: "Nights", description: "One after the other" },
      isShown: true,
    });
    expect((await open("/series/nights?page=9")).ids).toEqual(["v10", "v11"]);
  });

  it("reflects a published, hidden, deleted or reinserted video on the next request", async () => {
    write([video({ id: "a" }), video({ id: "b" }), video({ id: "c" })]);
    addSeries({}, ["a", "b", "c"]);
    const sqlite = sqliteHandle();
    sqlite.exec("UPDATE videos SET status = 'hidden' WHERE id = 'b'");
    expect((await open("/series/nights")).ids).toEqual(["a", "c"]);
    sqlite.exec("DELETE FROM videos WHERE id = 'a'; UPDATE videos SET status = 'published'");
    expect((await open("/series/nights")).ids).toEqual(["b", "c"]);
    write([video({ id: "a" })]);
    expect((await open("/series/nights")).ids).toEqual(["a", "b", "c"]);
  });

  it("doesn't exist for visitors if the series isn't public or has no public videos", async () => {
    write([video({ id: "a", status: "hidden" }), video({ id: "b" })]);
    addSeries({}, ["a"]);
    addSeries({ title: "Private", slug: "private", visibility: "studio" }, ["b"]);
    addSeries({ title: "Gone", slug: "gone" }, ["b"]);
    sqliteHandle().exec("UPDATE series SET deleted_at = '2026-01-01' WHERE slug = 'gone'");
    const cookie = (await openSession(insertUser().id)).split(";")[0] ?? "";
    for (const slug of ["nights", "private", "gone", "nothing"]) {
      expect((await thrown(page(args(`/series/${slug}`)))).status, slug).toBe(404);
      expect((await thrown(feed(args(`/series/${slug}/feed.xml`)))).status, slug).toBe(404);
    }
    const shown = await open("/series/private", { Cookie: cookie });
    expect(shown).toMatchObject({ ids: ["b"], isShown: false, series: { isPublic: false } });
    expect(await open("/series/nights", { Cookie: cookie })).toMatchObject({
      ids: [],
      isShown: false,
    });
    expect((await thrown(page(args("/series/gone", { Cookie: cookie })))).status).toBe(404);
  });

  it("has a single URL, to which other spellings and former slugs redirect with the rest of the path and the query", async () => {
    const id = twelve();
    sqliteHandle().prepare("INSERT INTO series_slugs VALUES ('evenings', ?)").run(id);
    for (const [path, status, to] of [
      ["/series/NIGHTS?page=2", 301, "/series/nights?page=2"],
      ["/series/nights/", 301, "/series/nights"],
      ["/series/evenings?page=2", 302, "/series/nights?page=2"],
    ] as const) {
      const response = await thrown(page(args(path)));
      expect([response.status, response.headers.get("Location")], path).toEqual([status, to]);
    }
    const moved = await thrown(feed(args("/series/evenings/feed.xml")));
    expect(moved.headers.get("Location")).toBe("/series/nights/feed.xml");
  });

  it("doesn't redirect visitors to a series that they can't see", async () => {
    write([video({ id: "a" })]);
    const id = addSeries({ title: "Launch", slug: "launch", visibility: "studio" }, ["a"]);
    sqliteHandle().prepare("INSERT INTO series_slugs VALUES ('secret', ?)").run(id);
    const cookie = (await openSession(insertUser().id)).split(";")[0] ?? "";
    for (const url of ["/series/LAUNCH", "/series/launch/", "/series/secret"]) {
      const response = await thrown(page(args(url)));
      expect([response.status, response.headers.get("Location")], url).toEqual([404, null]);
      const seen = await thrown(page(args(url, { Cookie: cookie })));
      expect(seen.headers.get("Location"), url).toBe("/series/launch");
    }
    expect((await thrown(feed(args("/series/SECRET/feed.xml")))).status).toBe(404);
  });

  it("doesn't list unplayable videos, and neither does the feed, the queue or the sitemap", async () => {
    write([video({ id: "a" }), video({ id: "later" }), video({ id: "alone" })]);
    const sqlite = sqliteHandle();
    sqlite.exec(`UPDATE videos SET video_url = '', source_url = '/media/videos/u/' || id || '.avi'
      WHERE id <> 'a'`);
    addSeries({}, ["later", "a"]);
    addSeries({ title: "Alone", slug: "alone" }, ["alone"]);
    expect((await open("/series/nights")).ids).toEqual(["a"]);
    expect((await watch("/video/a?series=nights"))?.total).toBe(1);
    const text = await (await feed(args("/series/nights/feed.xml"))).text();
    expect(text).toContain("/video/a");
    expect(text).not.toContain("/video/later");
    expect((await thrown(page(args("/series/alone")))).status).toBe(404);
    const map = await (await sitemap(args("/sitemap.xml"))).text();
    expect(map).not.toContain("/series/alone");
    sqlite.exec("UPDATE videos SET video_url = '/media/videos/u/' || id || '.mp4'");
    expect((await open("/series/nights")).ids).toEqual(["later", "a"]);
  });

  it("has the title, canonical URL, previous and next page, feed, image and list in its meta tags", async () => {
    twelve();
    const data = await open("/series/nights?page=2");
    const head = meta({ data } as never) as Record<string, never>[];
    expect(head).toContainEqual({ title: "Nights (page 2) | Afterdark" });
    expect(head).toContainEqual({
      tagName: "link",
      rel: "canonical",
      href: `${ORIGIN}/series/nights?page=2`,
    });
    const link = (rel: string) => head.find((each) => each.rel === rel)?.href;
    expect(link("prev")).toBe(`${ORIGIN}/series/nights`);
    expect(link("alternate")).toBe("/series/nights/feed.xml");
    const json = head.flatMap((each) => each["script:ld+json"] ?? []) as Record<string, unknown>[];
    expect(json.map((each) => each["@type"])).toEqual(["BreadcrumbList", "ItemList"]);
    expect(json[1]).toMatchObject({ itemListElement: [{ position: 9 }, { position: 10 }] });
    expect(head).not.toContainEqual({ name: "robots", content: "noindex" });
    const hidden = { ...data, series: { ...data.series, isPublic: false }, site: identity };
    expect(meta({ data: hidden } as never)).toContainEqual({ name: "robots", content: "noindex" });
  });
});

describe("a video within a series", () => {
  it("has a page that shows its neighbors, its number and the next video", async () => {
    twelve();
    const queue = await watch("/video/v3?series=nights");
    expect(queue).toMatchObject({
      slug: "nights",
      title: "Nights",
      number: 3,
      total: 10,
      firstNumber: 1,
    });
    expect(queue?.videos.map(({ id }) => id)).toEqual([
      "v0",
      "v2",
      "v3",
      "v5",
      "v6",
      "v7",
      "v8",
      "v9",
      "v10",
      "v11",
    ]);
    expect(queue?.next?.id).toBe("v5");
    const last = await watch("/video/v11?series=nights");
    expect([last?.number, last?.next]).toEqual([10, undefined]);
  });

  it("has a page that shows only the videos around it if the series is long", async () => {
    const names = Array.from({ length: 60 }, (_, n) => `v${n}`);
    write(names.map((id) => video({ id })));
    addSeries({}, names);
    const queue = await watch("/video/v29?series=nights");
    expect(queue).toMatchObject({ number: 30, firstNumber: 26, next: { id: "v30" } });
    expect(queue?.videos.map(({ id }) => id)).toEqual(names.slice(25, 45));
    expect((await watch("/video/v59?series=nights"))?.firstNumber).toBe(41);
  });

  it("has a page that doesn't show the series if the series isn't public or doesn't contain the video", async () => {
    write([video({ id: "a" }), video({ id: "b" })]);
    addSeries({}, ["b"]);
    addSeries({ title: "Private", slug: "private", visibility: "studio" }, ["a"]);
    for (const slug of ["nights", "private", "nothing", ""]) {
      expect(await watch(`/video/a?series=${slug}`), slug).toBeUndefined();
    }
    expect(await watch("/video/a")).toBeUndefined();
  });
});

describe("home", () => {
  const featured = async (url = "/") => {
    const response = await home(args(url));
    return (response.data as { featured?: { title: string; videos: { id: string }[] } }).featured;
  };
  const feature = (id: number) =>
    sqliteHandle().prepare("INSERT OR REPLACE INTO featured_series VALUES (1, ?)").run(id);

  it("shows a series only once it is featured, with its first videos, and only on page 1", async () => {
    const id = twelve();
    expect(await featured()).toBeUndefined();
    feature(id);
    expect(await featured()).toMatchObject({ title: "Nights", slug: "nights" });
    expect(ids((await featured())?.videos ?? [])).toEqual(["v0", "v2", "v3", "v5"]);
    for (const other of ["/?page=2", "/?category=desi", "/?search=video", "/?sort=views"]) {
      expect(await featured(other), other).toBeUndefined();
    }
  });

  it("doesn't show a featured series that visitors can't see", async () => {
    write([video({ id: "a", status: "hidden" }), video({ id: "b" })]);
    feature(addSeries({}, ["a"]));
    expect(await featured()).toBeUndefined();
    feature(addSeries({ title: "Private", slug: "private", visibility: "studio" }, ["b"]));
    expect(await featured()).toBeUndefined();
    feature(addSeries({ title: "नया", slug: "नया" }, ["b"]));
    expect(await featured()).toMatchObject({ slug: encodeURIComponent("नया") });
  });
});

describe("a series feed and the sitemap", () => {
  it("list the latest videos first, and only include public series", async () => {
    twelve();
    write([video({ id: "hidden", status: "hidden" })]);
    addSeries({ title: "Empty", slug: "empty" }, ["hidden"]);
    addSeries({ title: "Private", slug: "private", visibility: "studio" }, ["v0"]);
    const response = await feed(args("/series/nights/feed.xml"));
    expect(response.headers.get("Content-Type")).toBe("application/rss+xml; charset=utf-8");
    const text = await response.text();
    const titles = [...text.matchAll(/<item><title>(.*?)<\/title>/g)].map(([, name]) => name);
    expect(titles).toEqual([11, 10, 9, 8, 7, 6, 5, 3, 2, 0].map((n) => `Video ${n}`));
    expect(text).toContain(`${ORIGIN}/series/nights/feed.xml`);
    const request = new Request(`${ORIGIN}/sitemap.xml`);
    const index = await sitemap({ request, params: {}, context: {} } as never);
    expect(await index.text()).toContain(`${ORIGIN}/sitemap/series.xml`);
    const part = await (await sitemap(args("/sitemap/series.xml"))).text();
    expect([...part.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, loc]) => loc)).toEqual([
      `${ORIGIN}/series/nights`,
    ]);
  });
});
