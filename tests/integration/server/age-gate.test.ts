import { matchRoutes } from "@remix-run/react";
import type { RouteObject } from "react-router-dom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UNGATED_ROUTES } from "~/features/site/age-gate";
import routes from "~/routes";
import { signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { HtmlVisitor } from "../html/html-visitor";

const QUESTION = "Are you 18 or over?";
/** URLs of existing pages, for the routes that have parameters. */
const ADDRESSES: Record<string, string> = {
  "categories/:category?": "/categories/desi",
  "tags/:tag": "/tags/night",
  "series/:slug": "/series/trains",
  "video/:id": "/video/v",
};

const site = new SiteProcess({
  AGE_GATE: "on",
  COUNTRY_HEADER: "X-Country",
  COUNTRY_RULES: "FR=check",
  AGE_CHECK_URL: "http://127.0.0.1:9/check",
  AGE_CHECK_SECRET: "a secret that the provider and the site share",
});
let session = "";
beforeAll(async () => {
  await site.start();
  site.addVideo({ id: "v", title: "Night train", tags: '["night"]' });
  site.database().exec(`
    INSERT INTO series (id, title, slug, visibility) VALUES (1, 'Trains', 'trains', 'public');
    INSERT INTO series_slugs (slug, series_id) VALUES ('trains', 1);
    INSERT INTO series_videos (series_id, video_id, position) VALUES (1, 'v', 1)`);
  session = await signInTo(site);
});
afterAll(() => site.remove());

/** Returns the page at a URL, after redirects. */
async function pageAt(address: string, headers: Record<string, string> = {}) {
  let url = new URL(address, site.url);
  for (let redirects = 0; redirects < 5; redirects += 1) {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { Accept: "text/html", ...headers },
    });
    const location = response.headers.get("Location");
    if (!location) return { text: await response.text(), path: url.pathname };
    await response.body?.cancel();
    url = new URL(location, url);
  }
  throw new Error(`${address} leads nowhere.`);
}

const idOf = (file: string) => file.replace(/\.tsx?$/, "");
/** The routes known to the router. */
const table = routes.map(({ id, path, index, file }) => ({
  id: id ?? idOf(file),
  path: path ?? "",
  ...(index && { index }),
}));
const routeAt = (path: string) => matchRoutes(table as RouteObject[], path)?.at(-1)?.route.id ?? "";

const pages = routes
  .filter(({ file }) => file.endsWith(".tsx"))
  .map(({ path = "", file }) => ({
    id: idOf(file),
    address: ADDRESSES[path] ?? `/${path.replace(/:\w+\??|\*/g, "none")}`,
  }));

const percentEncoded = (address: string) =>
  address.replace(/[a-z]/, (character) => `%${character.charCodeAt(0).toString(16)}`);
const FORMS: Record<string, (address: string) => string> = {
  unchanged: (address) => address,
  "in capitals": (address) => address.toUpperCase(),
  "with a trailing slash": (address) => address.replace(/\/?$/, "/"),
  "with a percent-encoded letter": percentEncoded,
  "with parameters": (address) => `${address}?page=1&search=.`,
};

describe("the entry dialog", () => {
  it.each(Object.entries(FORMS))(
    "covers every page that isn't exempt, even if its URL is requested %s",
    async (_, form) => {
      const wrong: string[] = [];
      const seen = new Set<string>();
      for (const { address } of pages) {
        const { text, path } = await pageAt(form(address));
        const route = routeAt(path);
        seen.add(route);
        const isGated = text.includes(QUESTION);
        if (isGated === UNGATED_ROUTES.has(route))
          wrong.push(`${form(address)} (${route}): ${isGated}`);
      }
      expect(wrong).toEqual([]);
      // These routes redirect to pages that the loop above already covers.
      const redirects = /^\/(?:admin|age-check|auth\/code)/;
      const unseen = pages.filter(({ id, address }) => !seen.has(id) && !redirects.test(address));
      expect(unseen).toEqual([]);
    },
  );

  it("has exemptions only for routes that exist", () => {
    const known = new Set(pages.map(({ id }) => id));
    expect([...UNGATED_ROUTES].filter((id) => !known.has(id))).toEqual([]);
  });

  it("covers previews and error pages", async () => {
    for (const address of ["/preview/none", "/video/none", "/tags/none", "/series/none"]) {
      expect((await pageAt(address)).text, address).toContain(QUESTION);
    }
  });

  it("is replaced by the age check for visitors from a country that requires one", async () => {
    const { text, path } = await pageAt("/", { "X-Country": "FR" });
    expect([path, text.includes(QUESTION)]).toEqual(["/age-check", false]);
  });

  it("isn't shown to visitors who have confirmed their age or are signed in", async () => {
    for (const Cookie of ["age=18", session]) {
      for (const { address } of pages) {
        expect((await pageAt(address, { Cookie })).text, address).not.toContain(QUESTION);
      }
    }
  });
});

describe("the age check", () => {
  it("reports that the provider can't be reached, and lets the visitor try again", async () => {
    const visitor = new HtmlVisitor(site, { "X-Country": "FR" });
    await visitor.open("/trending");
    await visitor.follow("Check my age");
    const alert = () => visitor.in().getByRole("alert").textContent;
    expect(alert()).toContain("is unavailable at the moment");
    await visitor.follow("Try again");
    expect(alert()).toContain("is unavailable at the moment");
    expect(visitor.address).toBe("/age-check?problem=away&to=%2Ftrending");
  });
});
