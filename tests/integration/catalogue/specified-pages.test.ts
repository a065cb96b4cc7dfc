import { JSDOM } from "jsdom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";

// Checks each page's HTML, as served without JavaScript, against the specification's requirements.

const site = new SiteProcess({ CONTACT_EMAIL: "help@example.com" });
beforeAll(async () => {
  await site.start();
  site.addVideo({ id: "v", title: "A video", category: "premium" });
});
afterAll(() => site.remove());

async function open(path: string, cookie = ""): Promise<Document> {
  const response = await fetch(site.url + path, { headers: { Cookie: cookie } });
  expect(response.status).toBe(200);
  return new JSDOM(await response.text()).window.document;
}

const textOf = (element: Element | null) => element?.textContent?.replace(/\s+/g, " ").trim() ?? "";
const textsOf = (elements: Iterable<Element>) => [...elements].map((element) => textOf(element));

describe("the layout of every page", () => {
  it("links to Home, Categories and Trending in the header", async () => {
    const links = (await open("/")).querySelectorAll("header nav:first-of-type a");
    expect(textsOf(links).slice(0, 3)).toEqual(["Home", "Categories", "Trending"]);
  });

  it("has the four columns, the copyright line and the notice in the footer", async () => {
    const footer = (await open("/")).querySelector("footer")!;
    expect(textsOf(footer.querySelectorAll("h2"))).toEqual([
      "About",
      "Quick Links",
      "Popular Categories",
      "Legal",
    ]);
    expect(textOf(footer)).toContain(`© ${new Date().getUTCFullYear()} Afterdark.`);
    expect(textOf(footer)).toContain("This site is for ages 18 and over.");
  });
});

describe("the static pages", () => {
  it("state that no personal data or logs are stored and that the content comes from third parties", async () => {
    const privacy = textOf((await open("/privacy")).querySelector("main"));
    expect(privacy).toContain("stores no personal data or logs");
    expect(privacy).toContain("comes from third-party sources");
    expect(textOf((await open("/dmca")).querySelector("main"))).toContain(
      "All content on Afterdark comes from third-party sources.",
    );
  });

  it.each(["/contact", "/dmca"])(
    "promise a response within 1 to 2 business days on %s",
    async (path) => {
      expect(textOf((await open(path)).querySelector("main"))).toContain("1 to 2 business days");
    },
  );
});

describe("the category selector", () => {
  it.each(["/", "/categories", "/categories/premium"])("offers all choices on %s", async (path) => {
    const selector = (await open(path)).querySelector('nav[aria-label="Video categories"]')!;
    expect(textsOf(selector.querySelectorAll("a"))).toEqual([
      "All Videos",
      "Desi",
      "Blacked",
      "English",
      "Model/Star",
      "Premium Video",
      "Trending",
    ]);
    expect(textOf(selector.querySelector("[aria-current]"))).toBe(
      path === "/categories/premium" ? "Premium Video" : "All Videos",
    );
  });
});

describe("the admin panel", () => {
  it("has a Back to Videos link, four stat cards and two tabs, the first of which is Upload Video", async () => {
    const panel = await open("/admin", await signInTo(site));
    const back = [...panel.querySelectorAll("main a")].find(
      (link) => textOf(link) === "Back to Videos",
    );
    expect(back?.getAttribute("href")).toBe("/");
    expect(textsOf(panel.querySelectorAll("main dl dt"))).toEqual([
      "Total Videos",
      "Total Views",
      "Categories",
      "Storage Used",
    ]);
    const tabs = panel.querySelectorAll('nav[aria-label="Admin"] a');
    expect(textsOf(tabs)).toEqual(["Upload Video", "Manage Videos"]);
    expect(tabs[0]?.getAttribute("aria-current")).toBe("page");
  });
});
