import fs from "node:fs";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { expect, expectNoViolations, OTHER_SITE, test } from "../site";
import { PUBLIC_PAGES } from "./public-pages";

// With the service worker, as visitors have it: elsewhere the configuration blocks it, and says so on the console.
test.use({ siteEnvironment: OTHER_SITE, serviceWorkers: "allow" });

const PHONE = { width: 360, height: 740 };

/** Every public page, and those of its states that look different. */

const rows = (clip: string) => (number: number) => ({
  video_url: number === 1 ? clip : "",
  description: number === 1 ? "One line.\n\nhttps://example.com/a" : "",
  tags: number === 1 ? '["evening", "one take"]' : null,
  views: number * 10,
  title:
    number === 3
      ? "Averyveryverylongwordwithoutanyspacethatcannotbebroken".repeat(2)
      : `Video ${number}`,
});

test("no page has an accessibility violation", async ({ page, site }) => {
  await fill(site, 20, rows(site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)))));
  for (const path of PUBLIC_PAGES) {
    await page.goto(path);
    await test.step(path, () => expectNoViolations(page));
  }
});

test("no page scrolls sideways at 320 pixels @phone-only", async ({ page, site }) => {
  await fill(site, 20, rows(site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)))));
  await page.setViewportSize({ width: 320, height: 640 });
  for (const path of PUBLIC_PAGES) {
    await page.goto(path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([path, width]).toEqual([path, 320]);
  }
});

test("no page asks another host for anything, or breaks its own policy", async ({
  page,
  site,
  baseURL,
}) => {
  await fill(site, 20, rows(site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)))));
  const foreign: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${baseURL}/`) && !/^(data|blob):/.test(request.url())) {
      foreign.push(request.url());
    }
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // The browser itself reports the pages that are meant to be missing.
    const expected = /status of 404/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !expected) complaints.push(message.text());
  });
  for (const path of PUBLIC_PAGES) await page.goto(path, { waitUntil: "load" });
  expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] });
});

test("finding and opening a video takes nothing but a keyboard", async ({ page, site }) => {
  await fill(site, 10, (number) => ({ title: number === 10 ? "Neon Rain" : `Video ${number}` }));
  await page.goto("/");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.type("neon");
  await expect(page.locator("main article")).toHaveCount(1);
  const card = page.locator("main article").getByRole("link");
  for (let steps = 0; steps < 20; steps += 1) {
    await page.keyboard.press("Tab");
    if (await card.evaluate((link) => link === document.activeElement)) break;
  }
  await expect(card).toBeFocused();
  const outline = await card.evaluate((link) => getComputedStyle(link).outlineStyle);
  expect(outline).toBe("solid");
  await page.keyboard.press("Space");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Neon Rain");
  for (let steps = 0; steps < 20; steps += 1) {
    await page.keyboard.press("Tab");
    const text = await page.evaluate(() => document.activeElement?.textContent);
    if (text === "Back") break;
  }
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/?search=neon");
  await expect(page.getByRole("searchbox")).toHaveValue("neon");
});

test("the menu of a phone closes by Escape and after a choice @phone-only", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await page.goto("/");
  const summary = page.getByRole("banner").locator("summary");
  const trending = page.getByRole("banner").getByRole("link", { name: "Trending" });
  await summary.press("Enter");
  await expect(trending).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(trending).toBeHidden();
  await expect(summary).toBeFocused();
  await summary.click();
  await trending.click();
  await expect(page).toHaveURL("/trending");
  await expect(trending).toBeHidden();
});

test("a message is kept on the console of the browser and in no request", async ({ page }) => {
  const said: string[] = [];
  const sent: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("request", (request) => {
    if (request.method() !== "GET" || request.url().includes("Ann")) sent.push(request.url());
  });
  await page.goto("/contact", { waitUntil: "networkidle" });
  await page.getByLabel("Name").fill("Ann");
  await page.getByLabel("Email").fill("ann@example.com");
  await page.getByLabel("Subject").fill("Hello");
  await page.getByLabel("Message").fill("Is this yours?");
  await page.getByRole("button", { name: "Send Message" }).click();
  await expect(page.getByText("Thank you, Ann. Your message is ready.")).toBeFocused();
  expect(said.join()).toContain("Contact form");
  expect(sent).toEqual([]);
  await expectNoViolations(page);
});

test("an unknown address is a page with ways on", async ({ page }) => {
  expect((await page.goto("/nonsense/at/all"))?.status()).toBe(404);
  const main = page.getByRole("main");
  const links = await main
    .getByRole("link")
    .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  expect(links.sort()).toEqual(
    ["/", "/trending", "/categories/desi", "/categories/premium", "/categories/english"].sort(),
  );
  await expect(page).toHaveTitle(/not found/i);
});

test("home has a button that opens the channel in a tab of its own", async ({ page }) => {
  await page.goto("/");
  const join = page.getByRole("link", { name: /join/i });
  await expect(join).toHaveAttribute("href", "https://chat.example/channel");
  await expect(join).toHaveAttribute("target", "_blank");
  await expect(join).toHaveAttribute("rel", /noopener/);
});

test("the ways into the list stand side by side on a phone, and fill a line each where they are too wide @phone-only", async ({
  page,
}) => {
  const boxes = async (width: number) => {
    await page.setViewportSize({ width, height: 740 });
    await page.goto("/");
    const links = page.getByRole("link", { name: /^(Surprise me|Join our channel)$/ });
    return links.evaluateAll((all) =>
      all.map((each) => {
        const { top, width, height } = each.getBoundingClientRect();
        return { top, width, height };
      }),
    );
  };
  const [surprise, join] = await boxes(360);
  expect(surprise?.top).toBe(join?.top);
  expect(surprise?.height).toBeGreaterThanOrEqual(44);
  const narrow = await boxes(300);
  expect(narrow.map(({ width }) => width)).toEqual([268, 268]);
});
