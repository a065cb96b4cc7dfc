import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tagsSitemap } from "~/features/catalogue/feeds.server";
import { loader as sitemap } from "~/features/catalogue/routes/sitemap";
import { meta, loader as page } from "~/features/catalogue/routes/tag";
import { loader as feed } from "~/features/catalogue/routes/tag-feed";
import { tagFeedPath, tagPath } from "~/shared/addresses";
import { PAGE_SIZE } from "~/shared/pages";
import { sqliteHandle } from "~db/client.server";
import { ids, video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

const ORIGIN = "https://videos.example";
const identity = { name: "Afterdark", origin: ORIGIN };

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ PUBLIC_URL: ORIGIN });
});
afterEach(() => site.remove());

const args = (url: string) =>
  ({ request: new Request(ORIGIN + url), params: {}, context: {} }) as never;

/** Returns the Response that a loader returns or throws. */
const thrown = (work: Promise<unknown>): Promise<Response> =>
  work.then(
    () => expect.fail("nothing was thrown"),
    (response: Response) => response,
  );

async function open(url: string) {
  const { data, init } = await page(args(url));
  return { ...data, status: init?.status, ids: ids(data.list.videos) };
}

describe("a tag's list", () => {
  it("shows only published videos with exactly this tag, newest first", async () => {
    write([
      video({ id: "whole", tags: ["x", "Beach"] }),
      video({ id: "spaces", tags: [" beach "] }),
      video({ id: "longer", tags: ["beach house", "nude beach"] }),
      video({ id: "parts", tags: ["be", "ach"] }),
      video({ id: "title", title: "beach", tags: ["other"] }),
      video({ id: "hidden", tags: ["beach"], status: "hidden" }),
      video({ id: "later", tags: ["beach"], created_at: "2026-02-01T00:00:00.000Z" }),
    ]);
    expect(await open("/tags/beach")).toMatchObject({
      status: 200,
      ids: ["later", "spaces", "whole"],
      list: { total: 3, page: 1, pageCount: 1 },
    });
  });

  it("doesn't mistake separators within a title for tag separators", async () => {
    write([video({ id: "odd", title: "a\u001fbeach\u001fb", tags: ["c\u001fbeach\u001fd"] })]);
    expect((await open("/tags/beach")).ids).toEqual([]);
  });

  it("clamps the page number", async () => {
    write(Array.from({ length: 20 }, (_, i) => video({ id: `v${i}`, tags: ["beach"] })));
    const last = await open("/tags/beach?page=99");
    expect(last).toMatchObject({ list: { page: 3, pageCount: 3, total: 20 } });
    expect(last.ids).toEqual(["v3", "v2", "v1", "v0"]);
    expect((await open("/tags/beach?page=2")).ids).toHaveLength(PAGE_SIZE);
  });

  it("shows other tools' changes on the next request", async () => {
    write([video({ id: "a", tags: ["beach"] }), video({ id: "b", tags: ["city"] })]);
    expect((await open("/tags/beach")).ids).toEqual(["a"]);
    sqliteHandle().exec(`UPDATE videos SET tags = '["beach"]' WHERE id = 'b'`);
    expect((await open("/tags/beach")).ids).toEqual(["b", "a"]);
    sqliteHandle().exec("UPDATE videos SET status = 'hidden' WHERE id = 'a'");
    expect((await open("/tags/beach")).ids).toEqual(["b"]);
  });

  it.each([
    ["one character", "x"],
    ["a slash", "AC/DC"],
    ["the text of an encoded slash", "50%2F50"],
    ["a question mark and a number sign", "what? #1"],
    ["quotes and stars", `"nig*ht" OR 'x'`],
    ["emoji", "🎬👩‍❤️‍👨"],
    ["another script", "समुद्र तट"],
    ["upper case", "ОДЕССА"],
    ["dots", "v1.0"],
    ["the extension of the framework's data requests", "x.data"],
    ["the maximum length of a search text", "🎬".repeat(200)],
  ])("has a valid URL if the tag has %s", async (_, tag) => {
    write([video({ id: "a", tags: [tag] }), video({ id: "b", tags: [`${tag}${tag}`] })]);
    const path = tagPath(tag);
    expect(path).toMatch(/^\/tags\/[^/?#]+$/);
    expect(path).not.toMatch(/\.data$/);
    expect((await open(path)).ids).toEqual(["a"]);
  });

  it.each([
    [302, "/tags/beach?page=2", "/tags/Beach?page=2"],
    [302, "/tags/%20BEACH%20", "/tags/Beach"],
    [302, "/tags/ETE", "/tags/%C3%89t%C3%A9"],
    [301, "/tags/Beach/", "/tags/Beach"],
    [302, "/tags/%D0%BE", "/tags/%D0%9E"],
  ])(
    "redirects with %i from %s to the spelling that most videos have: %s",
    async (status, ...of) => {
      write([
        video({ id: "a", tags: ["Beach", "Été"] }),
        video({ id: "b", tags: ["Beach", "Été", "О"] }),
        video({ id: "c", tags: ["beach", "ete"] }),
      ]);
      const [path, canonical] = of;
      const response = await thrown(page(args(path)));
      expect([response.status, response.headers.get("Location")]).toEqual([status, canonical]);
      expect((await open("/tags/Beach")).ids).toEqual(["c", "b", "a"]);
    },
  );

  it("follows the videos when another spelling becomes the most common one", async () => {
    write([video({ id: "a", tags: ["Beach"] })]);
    expect((await open("/tags/Beach")).status).toBe(200);
    write([video({ id: "b", tags: ["beach"] }), video({ id: "c", tags: ["beach"] })]);
    const response = await thrown(page(args("/tags/Beach")));
    expect(response.headers.get("Location")).toBe("/tags/beach");
  });

  it.each(["/tags/%20", "/tags/%E0%A4%A", `/tags/${"x".repeat(201)}`, "/tags/a%00b"])(
    "returns 404 at %s",
    async (path) => expect((await thrown(page(args(path)))).status).toBe(404),
  );

  it("is empty, returns 404 and isn't indexed if no video has the tag", async () => {
    const unknown = await open("/tags/nothing");
    expect(unknown).toMatchObject({ status: 404, ids: [] });
    const head = meta({ data: unknown } as never);
    expect(head).toContainEqual({ name: "robots", content: "noindex" });
  });

  it("has meta tags for its canonical URL and its feed", async () => {
    write(Array.from({ length: 9 }, (_, i) => video({ id: `v${i}`, tags: ["a b"] })));
    const head = JSON.stringify(meta({ data: await open("/tags/a%20b?page=2") } as never));
    expect(head).toContain(`"canonical","href":"${ORIGIN}/tags/a%20b?page=2"`);
    expect(head).toContain(`"href":"/tags/a%20b/feed.xml"`);
    expect(head).not.toContain("noindex");
  });
});

describe("a tag that can't be part of a path", () => {
  it.each([".", "..", "", " ", "a\tb", "x".repeat(201), "\ud800"])(
    "links to a search (%j)",
    (tag) => {
      expect(tagPath(tag)).toMatch(/^\/(\?search=|$)/);
    },
  );
});

describe("a tag's feed", () => {
  it("contains the 50 newest videos with the tag", async () => {
    write([
      ...Array.from({ length: 60 }, (_, i) => video({ id: `v${i}`, tags: ["R&B"] })),
      video({ id: "other", tags: ["r&b house"] }),
    ]);
    const response = await feed(args(tagFeedPath("R&B")));
    const text = await response.text();
    expect(response.headers.get("Content-Type")).toBe("application/rss+xml; charset=utf-8");
    expect(text.match(/<guid[^>]*>[^<]*/g)).toHaveLength(50);
    expect(text.indexOf("/video/v59<")).toBeLessThan(text.indexOf("/video/v10<"));
    expect(text).not.toContain("other");
    expect(text).toContain("<title>R&amp;B | Afterdark</title>");
    expect(text).toContain(`href="${ORIGIN}/tags/R%26B/feed.xml" rel="self"`);
  });

  it("returns 404 if no video has the tag, and redirects other spellings to its canonical URL", async () => {
    expect((await feed(args("/tags/nothing/feed.xml"))).status).toBe(404);
    write([video({ id: "a", tags: ["beach"] })]);
    const response = await thrown(feed(args("/tags/Beach/feed.xml")));
    expect(response.headers.get("Location")).toBe("/tags/beach/feed.xml");
  });
});

describe("the tag sitemap", () => {
  it("contains the tags of published videos, and each tag has a list page", async () => {
    write([
      video({ id: "a", tags: ["Beach", "..", " beach ", "a/b"] }),
      video({ id: "b", tags: ["secret"], status: "hidden" }),
    ]);
    const found = (await tagsSitemap(identity)).match(/(?<=<loc>)[^<]*/g) ?? [];
    expect(found.sort()).toEqual([`${ORIGIN}/tags/Beach`, `${ORIGIN}/tags/a%2Fb`]);
    for (const url of found) {
      expect((await open(url.slice(ORIGIN.length))).status).toBe(200);
    }
    const index = await (await sitemap(args("/sitemap.xml"))).text();
    expect(index).toContain(`${ORIGIN}/sitemap/tags.xml`);
  });

  it("is listed in the sitemap index only if there are tags", async () => {
    write([video({ id: "a" })]);
    const index = await (await sitemap(args("/sitemap.xml"))).text();
    expect(index).not.toContain("tags.xml");
  });
});
