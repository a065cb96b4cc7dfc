import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as age from "~/features/age/routes/age";
import * as categories from "~/features/catalogue/routes/categories";
import * as home from "~/features/catalogue/routes/home";
import * as trending from "~/features/catalogue/routes/trending";
import * as contact from "~/features/site/routes/contact";
import * as dmca from "~/features/site/routes/dmca";
import * as notFound from "~/features/site/routes/not-found";
import * as privacy from "~/features/site/routes/privacy";
import * as video from "~/features/watch/routes/video";
import * as root from "~/root";
import { database, sqliteHandle } from "~db/client.server";
import type { NewVideoRow } from "~db/schema";
import { useTemporarySite } from "../../temporary-site";

const ORIGIN = "https://videos.example";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ PUBLIC_URL: ORIGIN });
});
afterEach(() => site.remove());

interface Result {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the response of its route
  body: any;
}
// biome-ignore lint/suspicious/noExplicitAny: loaders differ in their arguments and results
type Handler = (args: any) => unknown;

/** Calls a loader or action as the server does, and returns its data, response or redirect. */
async function call(
  handler: Handler,
  path: string,
  { params = {}, ...init }: RequestInit & { params?: Record<string, string> } = {},
): Promise<Result> {
  const request = new Request(ORIGIN + path, init);
  const result = (await Promise.resolve()
    .then(() => handler({ request, params, context: {} }))
    .catch((thrown: unknown) => {
      if (thrown instanceof Response) return thrown;
      throw thrown;
    })) as { data?: unknown; init?: ResponseInit; type?: string } | Response;
  if (result instanceof Response) {
    return { status: result.status, headers: result.headers, body: undefined };
  }
  const wrapped = result.type === "DataWithResponseInit";
  return {
    status: (wrapped && result.init?.status) || 200,
    headers: new Headers(wrapped ? result.init?.headers : undefined),
    body: wrapped ? result.data : result,
  };
}

async function addVideos(count: number, row: (index: number) => Partial<NewVideoRow> = () => ({})) {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: `v${index}`,
    title: `Video ${index}`,
    category: "desi",
    created_at: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
    ...row(index),
  }));
  await database().insertInto("videos").values(rows).execute();
}

const ids = (result: Result) => result.body.list.videos.map((card: { id: string }) => card.id);
const post = (fields: Record<string, string>, headers: Record<string, string> = {}) => ({
  method: "POST",
  body: new URLSearchParams(fields),
  headers: { Origin: ORIGIN, ...headers },
});

describe("home", () => {
  it("shows 8 videos per page, newest first, and clamps the page number", async () => {
    await addVideos(20);
    expect(ids(await call(home.loader, "/"))).toEqual(
      [19, 18, 17, 16, 15, 14, 13, 12].map((index) => `v${index}`),
    );
    for (const [requestedPage, page] of [
      ["3", 3],
      ["99", 3],
      ["1e9", 3],
      ["0", 1],
      ["-1", 1],
      ["abc", 1],
      ["2&page=3", 2],
    ] as const) {
      const result = await call(home.loader, `/?page=${requestedPage}`);
      expect([requestedPage, result.status, result.body.list.page]).toEqual([
        requestedPage,
        200,
        page,
      ]);
    }
  });

  it("searches titles and tags, within a category if one is selected", async () => {
    await addVideos(4, (index) => ({
      title: index === 0 ? "Neon Rain" : "Other",
      tags: index === 1 ? '["NEON"]' : null,
      category: index === 1 ? "premium" : "desi",
    }));
    expect(ids(await call(home.loader, "/?search=%20neon%20"))).toEqual(["v1", "v0"]);
    expect(ids(await call(home.loader, "/?search=neon&category=premium"))).toEqual(["v1"]);
    expect(ids(await call(home.loader, "/?search=neon&category=nonsense"))).toEqual(["v1", "v0"]);
  });

  it("distinguishes an empty site from an empty category", async () => {
    expect((await call(home.loader, "/?category=desi")).body.anyVideo).toBe(false);
    await addVideos(1, () => ({ status: "hidden" }));
    expect((await call(home.loader, "/")).body.anyVideo).toBe(false);
    await addVideos(1, () => ({ id: "shown" }));
    const result = await call(home.loader, "/?category=premium");
    expect([result.body.list.total, result.body.anyVideo]).toEqual([0, true]);
  });

  it("redirects to the Trending page if the URL's category is Trending", async () => {
    const result = await call(home.loader, "/?category=trending");
    expect([result.status, result.headers.get("Location")]).toEqual([302, "/trending"]);
  });

  it("shows the join link only if one is configured", async () => {
    expect((await call(home.loader, "/")).body.joinUrl).toBeUndefined();
    await site.remove();
    site = useTemporarySite({ JOIN_URL: "https://chat.example/c" });
    expect((await call(home.loader, "/")).body.joinUrl).toBe("https://chat.example/c");
  });
});

describe("a list that can't be loaded", () => {
  it.each([
    ["home", home.loader],
    ["categories", categories.loader],
    ["trending", trending.loader],
  ])("is empty, returns 500 and shows no internal details (%s)", async (_, loader) => {
    await addVideos(9, () => ({ views: 1 }));
    sqliteHandle().exec("DROP TABLE videos");
    const result = await call(loader, "/?page=2");
    expect(result.status).toBe(500);
    expect(result.body.list).toEqual({ videos: [], page: 1, pageCount: 1, total: 0 });
    expect(result.body.error).toMatch(/^Failed to fetch videos\./);
    expect(result.body.error).not.toMatch(/table|sqlite|videos\b.*no such/i);
    expect(console.error).toHaveBeenCalled();
    vi.mocked(console.error).mockClear();
  });
});

it("shows the error message from the specification when a video can't be loaded", async () => {
  await addVideos(1);
  sqliteHandle().exec("DROP TABLE videos");
  const request = new Request(`${ORIGIN}/video/v0`);
  const result = await video.loader({ request, params: { id: "v0" }, context: {} }).catch((e) => e);
  expect([result.status, await result.text()]).toEqual([
    500,
    expect.stringMatching(/^Failed to fetch videos\. Reference \w+\.$/),
  ]);
  expect(console.error).toHaveBeenCalled();
  vi.mocked(console.error).mockClear();
});

describe("categories", () => {
  const at = (path: string, category?: string) =>
    call(categories.loader, path, { params: category === undefined ? {} : { category } });

  it("show the same list at each of their three URLs", async () => {
    await addVideos(3, (index) => ({ category: index === 0 ? "amateur" : "desi" }));
    await addVideos(1, () => ({ id: "other", category: "english" }));
    expect(ids(await at("/categories"))).toHaveLength(4);
    expect(ids(await at("/categories?cat=desi"))).toEqual(["v2", "v1", "v0"]);
    expect(ids(await at("/categories/desi", "desi"))).toEqual(["v2", "v1", "v0"]);
    expect(ids(await at("/categories?cat=nonsense"))).toHaveLength(4);
    expect((await at("/categories/premium", "premium")).body.list.total).toBe(0);
  });

  it.each([
    ["/categories/amateur", "amateur", 301, "/categories/desi"],
    ["/categories/featured?page=3", "featured", 301, "/categories/premium?page=3"],
    ["/categories?cat=solo", undefined, 301, "/categories/pornstar"],
    ["/categories/trending", "trending", 302, "/trending"],
    ["/categories?cat=trending", undefined, 302, "/trending"],
    ["/categories/all", "all", 301, "/categories"],
  ])("redirect from %s to the current URL", async (path, category, status, to) => {
    const result = await at(path, category);
    expect([result.status, result.headers.get("Location")]).toEqual([status, to]);
  });

  it.each(["nonsense", "__proto__", "DESI"])(
    "return 404 for the unknown category %j if it has no published videos",
    async (category) => {
      await addVideos(1, () => ({ category, status: "hidden" }));
      await addVideos(1, () => ({ id: "other", category: "desi" }));
      expect((await at("/categories/x", category)).status).toBe(404);
    },
  );

  it.each(["nonsense", "__proto__", "DESI", "a/b", "x.data"])(
    "list only videos whose category is exactly %j",
    async (category) => {
      await addVideos(2, () => ({ category, duration: "5:30" }));
      await addVideos(1, () => ({ id: "other", category: "desi" }));
      const { status, body } = await at("/categories/x", category);
      expect([status, body.list.videos.map(({ id }: { id: string }) => id)]).toEqual([
        200,
        ["v1", "v0"],
      ]);
      const { status: none, body: long } = await at("/categories/x?length=long", category);
      expect([none, long.list.total]).toEqual([200, 0]);
      expect((await at(`/categories?cat=${encodeURIComponent(category)}`)).body.list.total).toBe(3);
    },
  );
});

describe("trending", () => {
  it("shows only videos that have views, most viewed first, with ties sorted newest first", async () => {
    await addVideos(5, (index) => ({ views: [0, 3, 7, 3, 0][index] }));
    expect(ids(await call(trending.loader, "/trending"))).toEqual(["v2", "v3", "v1"]);
  });
});

describe("a video", () => {
  it("shows related videos and a link back to the list", async () => {
    await addVideos(3, () => ({ title: "Neon Rain" }));
    const path = "/video/v0?from=home&search=neon&category=desi&page=2";
    const { body } = await call(video.loader, path, { params: { id: "v0" } });
    expect(body.video.title).toBe("Neon Rain");
    expect(body.related.map((card: { id: string }) => card.id)).toEqual(["v2", "v1"]);
    expect(body.listLocation).toEqual({ from: "home", search: "neon", category: "desi", page: 2 });
  });

  it("shows its duration in minutes and seconds if another tool stored it in seconds", async () => {
    await addVideos(2, () => ({ title: "Neon Rain", duration: "330" }));
    const { body } = await call(video.loader, "/video/v0", { params: { id: "v0" } });
    const list = await call(home.loader, "/");
    for (const shown of [body.video, body.related[0], list.body.list.videos[0]]) {
      expect(shown.duration).toBe("5:30");
    }
  });

  it.each(["hidden", "review"] as const)("is not found if it is %s", async (status) => {
    await addVideos(1, () => ({ status }));
    expect((await call(video.loader, "/video/v0", { params: { id: "v0" } })).status).toBe(404);
  });

  it("is not found if it never existed", async () => {
    expect((await call(video.loader, "/video/x", { params: { id: "x" } })).status).toBe(404);
  });
});

describe("the static pages", () => {
  it.each([privacy.loader, dmca.loader, contact.loader])(
    "contain the contact address",
    async (loader) => {
      expect((await call(loader, "/")).body.email).toBe("contact@videos.example");
      await site.remove();
      site = useTemporarySite({ CONTACT_EMAIL: "hello@else.example" });
      expect((await call(loader, "/")).body.email).toBe("hello@else.example");
    },
  );

  it("aren't indexed by search engines, except for Contact", () => {
    const data = { site: { name: "Afterdark", origin: ORIGIN }, email: "" };
    // biome-ignore lint/suspicious/noExplicitAny: meta functions take many more arguments than they use
    const robots = (meta: any) => JSON.stringify(meta({ data })).includes("noindex");
    expect([robots(privacy.meta), robots(dmca.meta), robots(contact.meta)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("a contact message without JavaScript", () => {
  const fields = { name: "Ann", email: "ann@example.com", subject: "Hi", message: "Hello" };

  it("is returned in the response, and isn't stored", async () => {
    const before = sqliteHandle().serialize();
    const result = await call(contact.action, "/contact", post(fields));
    expect([result.status, result.body]).toEqual([200, { message: fields, errors: {} }]);
    expect(sqliteHandle().serialize().equals(before)).toBe(true);
  });

  it("is rejected with 422 if a field is missing, and the values are kept", async () => {
    const result = await call(contact.action, "/contact", post({ ...fields, subject: " " }));
    expect(result.status).toBe(422);
    expect(result.body.errors).toEqual({ subject: "Please enter a subject." });
    expect(result.body.message.message).toBe("Hello");
  });

  it("is rejected with 403 if it comes from another site", async () => {
    const foreign = post(fields, { Origin: "https://evil.example" });
    expect((await call(contact.action, "/contact", foreign)).status).toBe(403);
  });
});

describe("the age gate", () => {
  const asks = async (path: string, headers: Record<string, string> = {}) =>
    (await call(root.loader, path, { headers })).body.asksForAge;

  it("is shown to visitors", async () => {
    expect(await asks("/")).toBe(true);
  });

  it("isn't shown to search engines or to visitors who have already confirmed their age", async () => {
    expect(await asks("/", { "User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" })).toBe(
      false,
    );
    const result = await call(age.action, "/age", post({ returnTo: "/trending?page=2" }));
    expect([result.status, result.headers.get("Location")]).toEqual([302, "/trending?page=2"]);
    const cookie = result.headers.get("Set-Cookie") ?? "";
    expect(cookie).toMatch(/^age=18; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure$/);
    expect(await asks("/", { Cookie: `x=1; ${cookie.split(";")[0]}` })).toBe(false);
    expect(await asks("/", { Cookie: "age=17; xage=18" })).toBe(true);
  });

  it("can be turned off by the operator", async () => {
    await site.remove();
    site = useTemporarySite({ AGE_GATE: "off" });
    expect(await asks("/")).toBe(false);
  });

  it.each(["//evil.example", "https://evil.example", "/\\evil", "javascript:alert(1)", ""])(
    "never redirects to another site (%j)",
    async (returnTo) => {
      const result = await call(age.action, "/age", post({ returnTo }));
      expect(result.headers.get("Location")).toBe("/");
    },
  );

  it("accepts answers only from the site's own pages", async () => {
    const foreign = post({}, { "Sec-Fetch-Site": "cross-site" });
    const result = await call(age.action, "/age", foreign);
    expect([result.status, result.headers.get("Set-Cookie")]).toEqual([403, null]);
    expect((await call(age.loader, "/age")).headers.get("Location")).toBe("/");
  });
});

describe("an unknown URL", () => {
  it("returns 404 for every kind of request", async () => {
    expect((await call(notFound.loader, "/nonsense")).status).toBe(404);
    expect((await call(notFound.action, "/nonsense", post({}))).status).toBe(404);
  });
});
