import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALWAYS_OPEN } from "~/features/age/obey-country-rules.server";
import { ROUTES, routeOf } from "~/features/permissions/route-of";
import { addToken } from "../../api-token";
import { rawGet } from "../../raw-request";
import { signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import {
  type AgeCheckProvider,
  ageClaims,
  ageToken,
  PROVIDER_SECRET,
  startAgeCheckProvider,
} from "./age-check-provider";

const RTA = "RTA-5042-1996-1400-1577-RTA";
const RULES = "US-TX=check,FR=check,IT=closed,unknown=check";

let provider: AgeCheckProvider;
let site: SiteProcess;

beforeAll(async () => {
  provider = await startAgeCheckProvider();
  site = new SiteProcess({
    AGE_GATE: "on",
    COUNTRY_HEADER: "X-Country",
    COUNTRY_RULES: RULES,
    AGE_CHECK_URL: provider.url,
    AGE_CHECK_SECRET: PROVIDER_SECRET,
    AGE_CHECK_KEEP: "12h",
    PUBLIC_URL: "https://videos.example",
  });
  await site.start();
  site.addFile("videos", "u/1.mp4", "0123456789");
  site.addFile("videos", "u/1/hls/master.m3u8", "#EXTM3U\n");
  site.addFile("videos", "u/1/hls/0.m4s", "segment");
  site.addFile("videos", "u/1/preview.mp4", "preview");
  site.addFile("thumbnails", "u/1.jpg", "a picture");
  site.addVideo({
    id: "v",
    tags: '["a"]',
    video_url: "/media/videos/u/1.mp4",
    hls_url: "/media/videos/u/1/hls/master.m3u8",
    thumbnail_url: "/media/thumbnails/u/1.jpg",
  });
});
afterAll(async () => {
  await site.remove();
  await provider.close();
});

const PAGES = ["/", "/?search=a", "/categories", "/trending", "/tags/a", "/video/v", "/saved"];
const MEDIA = [
  "/media/videos/u/1.mp4",
  "/media/videos/u/1/hls/master.m3u8",
  "/media/videos/u/1/hls/0.m4s",
  "/media/videos/u/1/preview.mp4",
  "/media/thumbnails/u/1.jpg",
];
const OTHERS = [
  "/feed.xml",
  "/tags/a/feed.xml",
  "/sitemap.xml",
  "/events",
  "/api",
  "/api/v1/videos",
  "/api/v1/openapi.json",
  "/search/suggestions?q=a",
  "/saved/videos?ids=v",
  "/video/v/stream",
  "/surprise",
  "/nowhere",
  // These URLs start with an open path but resolve to a different one.
  "/privacy/%2e%2e/video/v",
  "/assets/%2e%2e/video/v",
];
const STILL_READ = [
  "/privacy",
  "/dmca",
  "/contact",
  "/robots.txt",
  "/healthz",
  "/auth",
  "/favicon.ico",
  "/manifest.webmanifest",
  // These URLs spell the same paths differently.
  "/PRIVACY",
  "/privacy/",
  "/%70rivacy",
];

function sendRequest(
  path: string,
  country?: string,
  headers: Record<string, string> = {},
  method = "GET",
) {
  return fetch(site.url + path, {
    method,
    redirect: "manual",
    headers: { ...(country && { "X-Country": country }), ...headers },
  });
}
const asPage = { Accept: "text/html,*/*" };

describe("a client in a blocked country", () => {
  it.each([...PAGES, ...MEDIA, ...OTHERS])("can't open %s", async (path) => {
    for (const method of ["GET", "HEAD"]) {
      const response = await sendRequest(path, "IT", { Cookie: "age=18" }, method);
      expect([response.status, response.headers.get("Rating")]).toEqual([451, RTA]);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      if (method === "GET")
        expect(await response.text()).toBe(
          "This site is not available in your country or region.\n",
        );
    }
  });

  it("gets a plain page without scripts", async () => {
    const response = await sendRequest("/video/v", "IT", asPage);
    const text = await response.text();
    expect([response.status, response.headers.get("Content-Type")]).toEqual([
      451,
      "text/html; charset=utf-8",
    ]);
    expect(text).toContain("Afterdark is not available in your country or region");
    expect(text).toContain(`content="${RTA}"`);
    expect(text).not.toContain("script");
  });

  it.each(STILL_READ)("can still open %s", async (path) => {
    const response = await sendRequest(path, "IT", asPage);
    expect(response.status).toBe(200);
  });

  it("can open only the routes that are listed as always open", async () => {
    const wrong: string[] = [];
    for (const route of ROUTES) {
      const address = route.replace(/:\w+\??|\*/g, "none");
      for (const path of [address, address.toUpperCase(), `${address}/`]) {
        const { status } = await sendRequest(path, "IT");
        if ((status === 451) === ALWAYS_OPEN.has(routeOf(path))) wrong.push(`${path}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("can use the API and the worker endpoints with a valid token", async () => {
    const call = (path: string, token: string) =>
      sendRequest(path, "IT", { Authorization: `Bearer ${token}` }).then(({ status }) => status);
    const token = addToken(site);
    expect(await call("/api/v1/videos", token)).toBe(200);
    expect(await call("/API/v1/videos", token)).toBe(200);
    expect(await call("/api/v1/videos", `${token}x`)).toBe(451);
    // Only the API uses tokens.
    expect(await call("/media/videos/u/1.mp4", token)).toBe(451);
    site.database().exec("UPDATE api_tokens SET expires_at = '2020-01-01T00:00:00.000Z'");
    expect(await call("/api/v1/videos", token)).toBe(451);
    expect(await call("/api/worker/jobs", "none")).toBe(401);
  });

  it("can't send range requests or submit forms", async () => {
    expect((await sendRequest(MEDIA[0]!, "IT", { Range: "bytes=0-1" })).status).toBe(451);
    const post = await sendRequest("/video/v/view", "IT", { Origin: site.url }, "POST");
    expect(post.status).toBe(451);
    expect(site.database().prepare("SELECT views FROM videos").pluck().get()).toBe(0);
  });

  it("is redirected to the page itself when it requests only the page's data", async () => {
    const response = await sendRequest("/video/v.data?_routes=routes%2Fvideo&from=home", "IT");
    const text = await response.text();
    expect(text).toContain("SingleFetchRedirect");
    expect(text).toContain("/video/v?from=home");
    expect(text).not.toContain("/media/");
  });

  it("doesn't get a page that was cached for another country", async () => {
    const open = await sendRequest("/video/v", "DE", { Cookie: "age=18", ...asPage });
    const again = await sendRequest("/video/v", "DE", { Cookie: "age=18", ...asPage });
    expect([open.status, again.status]).toEqual([200, 200]);
    const etag = again.headers.get("ETag")!;
    expect(etag).toBeTruthy();
    const closed = await sendRequest("/video/v", "IT", {
      Cookie: "age=18",
      "If-None-Match": etag,
      ...asPage,
    });
    expect(closed.status).toBe(451);
    const feed = await sendRequest("/feed.xml", "DE");
    expect(feed.headers.get("Cache-Control")).toContain("private");
  });

  it("isn't blocked while it is signed in", async () => {
    const Cookie = await signInTo(site);
    expect((await sendRequest("/video/v", "IT", { Cookie, ...asPage })).status).toBe(200);
    expect((await sendRequest(MEDIA[0]!, "IT", { Cookie })).status).toBe(200);
    site.database().exec("DELETE FROM sessions");
    expect((await sendRequest(MEDIA[0]!, "IT", { Cookie })).status).toBe(451);
  });

  it("can't bypass the block by sending a second country header", async () => {
    const response = await rawGet(site.url, MEDIA[0]!, [
      `Host: ${new URL(site.url).host}`,
      "X-Country: DE",
      "X-Country: IT",
    ]);
    expect(response.split(" ")[1]).toBe("451");
  });
});

describe("a client in a country without a rule", () => {
  it("sees the site unchanged", async () => {
    for (const path of [...PAGES, ...MEDIA]) {
      expect((await sendRequest(path, "DE", { Cookie: "age=18" })).status, path).toBe(200);
    }
  });
});

describe("a country's age check", () => {
  const plain = { Cookie: "age=18" };

  it("blocks files, feeds and the API with a plain response until the visitor passes the check", async () => {
    for (const path of [...MEDIA, ...OTHERS]) {
      for (const country of ["US-TX", "FR-75", undefined]) {
        const response = await sendRequest(path, country, plain);
        expect([response.status, response.headers.get("Rating")], path).toEqual([403, RTA]);
      }
    }
  });

  it("redirects requests for pages, including those by crawlers, to the age check", async () => {
    for (const path of PAGES) {
      const response = await sendRequest(path, "FR", { ...plain, ...asPage });
      expect(response.status).toBe(302);
      const location = new URL(response.headers.get("Location")!, site.url);
      expect(location.pathname).toBe("/age-check");
      expect(location.searchParams.get("to") ?? "/").toBe(path);
    }
    // Anyone can claim to be a crawler.
    const crawler = await sendRequest("/", "FR", { "User-Agent": "Googlebot/2.1", ...asPage });
    expect(crawler.status).toBe(302);
  });

  it("sends the provider only a nonce and the return URL", async () => {
    const { location, nonce } = await begin("/video/v?search=something");
    expect([...location.searchParams.keys()].sort()).toEqual(["client", "nonce", "return_to"]);
    expect(location.searchParams.get("return_to")).toBe("https://videos.example/age-check/answer");
    expect(nonce).toMatch(/^[\w-]{43}$/);
    const heads = provider.requests.filter(({ method }) => method === "HEAD");
    expect(heads.length).toBeGreaterThan(0);
    for (const { headers, url } of heads) {
      expect(url).toBe("/check?client=afterdark");
      expect(Object.keys(headers)).not.toContain("cookie");
      expect(Object.keys(headers)).not.toContain("x-country");
    }
  });

  it("accepts a signed response only once, and stores only the age cookie", async () => {
    const { nonce, cookie } = await begin("/video/v?from=home");
    const token = ageToken(ageClaims(nonce));
    const first = await respondWith(token, cookie);
    expect([first.status, first.headers.get("Location")]).toEqual([302, "/video/v?from=home"]);
    const [forgets, age] = first.headers.getSetCookie();
    expect(forgets).toMatch(/^age-check=; .*Max-Age=0/);
    expect(age).toMatch(
      /^age=[\w-]+\.\d+\.[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
    );
    const seconds = Number(/Max-Age=(\d+)/.exec(age!)![1]);
    expect(seconds).toBeGreaterThanOrEqual(12 * 3600);
    expect(seconds).toBeLessThanOrEqual(13 * 3600);

    const replay = await respondWith(token, cookie);
    expect(replay.headers.get("Location")).toContain("/age-check?problem=wrong");
    expect(replay.headers.getSetCookie()).toEqual([]);

    const Cookie = age!.split(";")[0]!;
    for (const path of [...PAGES, ...MEDIA]) {
      expect((await sendRequest(path, "FR", { Cookie })).status, path).toBe(200);
    }
    const page = await sendRequest("/video/v", "FR", { Cookie, ...asPage });
    expect(await page.text()).not.toContain("Are you 18 or over?");
    // This visitor gets the same cached page as everyone else, and isn't checked again on other pages.
    expect(
      (await sendRequest("/video/v", "FR", { Cookie, ...asPage })).headers.get("ETag"),
    ).toBeTruthy();
    expect(
      (await sendRequest("/video/v", "DE", { Cookie, ...asPage })).headers.get("ETag"),
    ).toBeTruthy();
    const closed = await sendRequest("/video/v", "IT", { Cookie, ...asPage });
    expect(closed.status).toBe(451);
  });

  it("gives the same cookie to everyone who passes the check in the same hour", async () => {
    const ages = await Promise.all(
      [1, 2].map(async () => {
        const { nonce, cookie } = await begin("/");
        const response = await respondWith(ageToken(ageClaims(nonce)), cookie);
        return response.headers.getSetCookie()[1]!.split(";")[0];
      }),
    );
    expect(new Set(ages).size).toBe(1);
  });

  it("can be started and completed in two tabs at the same time", async () => {
    const one = await begin("/trending");
    const two = await begin("/categories", one.cookie);
    const first = await respondWith(ageToken(ageClaims(one.nonce)), two.cookie);
    expect(first.headers.get("Location")).toBe("/trending");
    const left = first.headers.getSetCookie()[0]!.split(";")[0]!;
    const second = await respondWith(ageToken(ageClaims(two.nonce)), left);
    expect(second.headers.get("Location")).toBe("/categories");
  });

  it("rejects visitors who are too young", async () => {
    const { nonce, cookie } = await begin("/");
    const response = await respondWith(ageToken(ageClaims(nonce, false)), cookie);
    expect(response.headers.get("Location")).toBe("/age-check?problem=no");
    expect(response.headers.getSetCookie().join()).not.toContain("age=");
    const page = await sendRequest("/age-check?problem=no", "FR", asPage);
    expect(page.status).toBe(403);
    expect(await page.text()).toContain("did not confirm that you are 18 or over");
  });

  const hour = 3_600_000;
  it.each<[string, (nonce: string) => string, string]>([
    ["signed with another secret", (nonce) => ageToken(ageClaims(nonce), "x".repeat(40)), "wrong"],
    [
      "without a signature",
      (nonce) => ageToken(ageClaims(nonce), "", { alg: "none" }).replace(/[^.]*$/, ""),
      "wrong",
    ],
    [
      "with another algorithm",
      (n) => ageToken(ageClaims(n), PROVIDER_SECRET, { alg: "HS512" }),
      "wrong",
    ],
    ["with another nonce", () => ageToken(ageClaims("another")), "wrong"],
    ["issued too long ago", (nonce) => ageToken(ageClaims(nonce, true, Date.now() - hour)), "late"],
    [
      "issued in the future",
      (nonce) => ageToken(ageClaims(nonce, true, Date.now() + hour)),
      "wrong",
    ],
    [
      "with too long a lifetime",
      (nonce) => ageToken({ ...ageClaims(nonce), exp: Math.floor(Date.now() / 1000) + 3_600 }),
      "wrong",
    ],
    [
      "with an additional claim",
      (n) => ageToken({ ...ageClaims(n), birthdate: "1980-01-01" }),
      "wrong",
    ],
    [
      "with a missing claim",
      (nonce) => ageToken({ ...ageClaims(nonce), age_over_18: undefined }),
      "wrong",
    ],
    ["changed in transit", (nonce) => `${ageToken(ageClaims(nonce))}x`, "wrong"],
    ["without a JSON payload", () => "a.b.c", "wrong"],
    ["that is too long", (nonce) => ageToken(ageClaims(nonce)) + "a".repeat(3_000), "wrong"],
  ])("rejects a response %s", async (_, tokenOf, problem) => {
    const { nonce, cookie } = await begin("/trending");
    const response = await respondWith(tokenOf(nonce), cookie);
    expect(response.headers.get("Location")).toBe(`/age-check?problem=${problem}&to=%2Ftrending`);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it("tolerates small clock differences", async () => {
    for (const seconds of [-330, 50]) {
      const { nonce, cookie } = await begin("/");
      const claims = ageClaims(nonce, true, Date.now() + seconds * 1000);
      const response = await respondWith(ageToken(claims), cookie);
      expect(response.headers.get("Location"), String(seconds)).toBe("/");
    }
  });

  it("rejects a response from another browser, or without a started check", async () => {
    const { nonce } = await begin("/");
    const response = await respondWith(ageToken(ageClaims(nonce)), "age=18");
    expect(response.headers.get("Location")).toBe("/age-check?problem=wrong");
    const none = await sendRequest("/age-check/answer", "FR");
    expect(none.headers.get("Location")).toBe("/age-check?problem=unfinished");
  });

  it("doesn't accept a forged cookie", async () => {
    const value = `${Buffer.from("18 checked").toString("base64url")}.${Date.now() + 3_600_000}`;
    for (const Cookie of [
      `age=${value}.${"A".repeat(43)}`,
      "age=18.checked",
      "age=checked",
      `age=${value}`,
    ]) {
      expect((await sendRequest(MEDIA[0]!, "FR", { Cookie })).status).toBe(403);
    }
  });

  it("redirects forged links to Home instead of to another site", async () => {
    const away = await sendRequest("/age-check?to=https://evil.example/", "DE", asPage);
    expect(away.headers.get("Location")).toBe("/");
    const start = await sendRequest("/age-check/start?to=//evil.example", "DE");
    expect(start.headers.get("Location")).toBe("/");
    const { nonce, cookie } = await begin("//evil.example/");
    const response = await respondWith(ageToken(ageClaims(nonce)), cookie);
    expect(response.headers.get("Location")).toBe("/");
  });
});

/** Starts a check the way a browser does. Returns the redirect and the cookie. */
async function begin(to: string, before = "") {
  const response = await sendRequest(`/age-check/start?to=${encodeURIComponent(to)}`, "FR", {
    Cookie: before,
  });
  const location = new URL(response.headers.get("Location")!);
  const cookie = response.headers.getSetCookie()[0]!;
  expect(cookie).toMatch(/HttpOnly; SameSite=Lax; Secure$/);
  return {
    location,
    nonce: location.searchParams.get("nonce")!,
    cookie: cookie.split(";")[0]!,
  };
}

function respondWith(token: string, cookie: string) {
  return sendRequest(`/age-check/answer?token=${token}`, "FR", { Cookie: cookie });
}
