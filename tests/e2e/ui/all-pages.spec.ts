import fs from "node:fs";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { overflow, overflowOnScreens } from "../../page-layout";
import { expect, expectNoViolations, OTHER_SITE, test } from "../site";

// These tests use the service worker, as visitors do. The configuration blocks it in other tests, which makes the
// browser log a message.
test.use({ siteEnvironment: OTHER_SITE, serviceWorkers: "allow" });

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1_440, height: 900 };

/** Pages with the same template as `/trending`. */
const MORE_LISTS = ["/categories/desi", "/tags/evening"];
/** Every template for public pages, with and without results. */
const PUBLIC_PAGES = [
  "/",
  "/?search=nothing",
  "/categories",
  "/trending",
  ...MORE_LISTS,
  "/saved",
  "/video/v1",
  "/video/nobody",
  "/auth",
  "/privacy",
  "/contact",
  "/preferences",
  "/nonsense",
];

test("no page has an accessibility violation, contacts another host, violates its CSP or overflows the screen", async ({
  page,
  site,
  baseURL,
}) => {
  test.slow();
  const clip = site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)));
  await fill(site, 40, (number) => ({
    video_url: number === 1 ? clip : "",
    description: "One line.\n\nhttps://example.com/a/rather/long/address/that/nobody/breaks",
    tags: '["evening", "one take"]',
    views: number * 1_000_000,
    title: number === 3 ? "Averyverylongwordthatcannotbebroken".repeat(3) : `Video ${number}`,
  }));
  await page.addInitScript(() => {
    localStorage.setItem("visitor", '{"resume":[["v1",30],["v3",30]],"saved":["v1"]}');
  });
  const foreign: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${baseURL}/`) && !/^(data|blob):/.test(request.url())) {
      foreign.push(request.url());
    }
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    // The browser logs an error for each page that is missing on purpose.
    const expected = /status of 404/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !expected) errors.push(message.text());
  });
  for (const path of PUBLIC_PAGES) {
    await test.step(path, async () => {
      await page.setViewportSize(DESKTOP);
      await page.goto(path);
      if (!MORE_LISTS.includes(path)) await expectNoViolations(page);
      expect(await overflowOnScreens(page)).toEqual([]);
    });
  }
  await test.step("the open menu fits a narrow screen", async () => {
    await page.setViewportSize({ width: 320, height: 740 });
    await page.getByRole("banner").locator("summary").click();
    expect(await overflow(page)).toEqual({ sideways: 0, outside: [] });
  });
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
});

test("a visitor can find and open a video using only the keyboard", async ({ page, site }) => {
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

test("on a phone, the menu closes when Escape is pressed or a link is chosen, and the buttons above the list are side by side", async ({
  page,
}) => {
  await page.setViewportSize(PHONE);
  await page.goto("/");
  await test.step("the buttons above the list wrap if they are too wide", async () => {
    const links = page.getByRole("link", { name: /^(Surprise me|Join our channel)$/ });
    const boxes = () =>
      links.evaluateAll((all) =>
        all.map((each) => {
          const { top, width } = each.getBoundingClientRect();
          return { top, width };
        }),
      );
    const [surprise, join] = await boxes();
    expect(surprise?.top).toBe(join?.top);
    await page.setViewportSize({ ...PHONE, width: 300 });
    expect((await boxes()).map(({ width }) => width)).toEqual([268, 268]);
    await page.setViewportSize(PHONE);
  });
  await test.step("the menu closes when Escape is pressed or a link is clicked", async () => {
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
});

test("a contact message is logged to the browser's console and not sent", async ({ page }) => {
  const logged: string[] = [];
  const sent: string[] = [];
  page.on("console", (message) => logged.push(message.text()));
  page.on("request", (request) => {
    if (request.method() !== "GET" || request.url().includes("Ann")) sent.push(request.url());
  });
  await page.goto("/contact");
  await page.getByLabel("Name").fill("Ann");
  await page.getByLabel("Email").fill("ann@example.com");
  await page.getByLabel("Subject").fill("Hello");
  await page.getByLabel("Message").fill("Is this yours?");
  await page.getByRole("button", { name: "Prepare email" }).click();
  await expect(page.getByText("Thank you, Ann. Your email is ready.")).toBeFocused();
  expect(logged.join()).toContain("Contact form");
  expect(sent).toEqual([]);
});
