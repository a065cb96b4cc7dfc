import type { Page } from "playwright/test";
import { fill } from "../../fill-catalogue";
import type { SiteProcess } from "../../site-process";
import { expect, expectNoViolations, test } from "../site";

const cards = "main article";

async function addVideos(site: SiteProcess): Promise<void> {
  await fill(site, 6, (number) => ({
    title: ["Neon Rain", "Neon City", "Quiet neon", "Other", "Evening", "Secret neon"][number - 1]!,
    tags: number === 4 ? '["neon lights"]' : null,
    status: number === 6 ? "hidden" : "published",
    category: number === 2 ? "english" : "desi",
  }));
}

const field = (page: Page) => page.getByRole("combobox", { name: "Search videos" });
const options = (page: Page) => page.getByRole("option");
const isNarrow = (page: Page) => (page.viewportSize()?.width ?? 0) < 1024;

/** Returns the header's search field. Opens it first if only its icon is shown. */
async function openField(page: Page) {
  if (isNarrow(page)) await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(field(page)).toBeVisible();
  return field(page);
}

/** Types repeatedly until suggestions appear, because typing before hydration doesn't send requests. */
async function suggest(page: Page, text: string) {
  const box = await openField(page);
  await expect(async () => {
    await box.fill("");
    await box.fill(text);
    await expect(options(page).first()).toBeVisible({ timeout: 3_000 });
  }).toPass();
  return box;
}

test("a search on any page opens the results on Home and keeps the page's category @phone", async ({
  page,
  site,
}) => {
  await addVideos(site);
  for (const path of ["/trending", "/nonsense"]) {
    await page.goto(path);
    const box = await openField(page);
    await box.fill("  neon ");
    await box.press("Enter");
    await expect(page).toHaveURL("/?search=neon");
    await expect(page.locator(cards)).toHaveCount(4);
    await expect(page.getByRole("searchbox")).toHaveValue("neon");
  }
  await page.goto("/categories/english");
  const box = await openField(page);
  await box.fill("neon");
  await box.press("Enter");
  await expect(page).toHaveURL("/?search=neon&category=english");
  await page.locator(cards).first().getByRole("link").click();
  await expect(await openField(page)).toHaveValue("neon");
});

test("the titles and tags of public videos are suggested, and can be selected with the usual combobox keys", async ({
  page,
  site,
}) => {
  await addVideos(site);
  await page.goto("/trending");
  const box = await suggest(page, "neon");
  await expect(options(page)).toHaveText([
    "neon lightsTag",
    "Neon RainVideo",
    "Neon CityVideo",
    "Quiet neonVideo",
  ]);
  await expect(box).toHaveAttribute("aria-expanded", "true");
  await expectNoViolations(page);
  await options(page).filter({ hasText: "Neon City" }).click();
  await expect(page).toHaveURL("/video/v2?from=home&search=neon");
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/?search=neon#video-v2");

  await page.goto("/trending");
  await suggest(page, "neon");
  const active = async () => {
    const id = await box.getAttribute("aria-activedescendant");
    return id === null ? null : page.locator(`[id="${id}"]`).textContent();
  };
  // The combobox uses manual selection: nothing is selected until an arrow key is pressed.
  expect(await active()).toBeNull();
  await box.press("ArrowDown");
  expect(await active()).toContain("neon lights");
  await box.press("ArrowUp");
  expect(await active()).toBeNull();
  await box.press("ArrowUp");
  expect(await active()).toContain("Quiet neon");
  await expect(options(page).last()).toHaveAttribute("aria-selected", "true");
  await expect(box).toBeFocused();
  await expect(box).toHaveValue("neon");

  await box.press("Escape");
  await expect(options(page)).toHaveCount(0);
  await expect(box).toHaveAttribute("aria-expanded", "false");
  await expect(box).toHaveValue("neon");
  await box.press("ArrowDown");
  await expect(options(page)).toHaveCount(4);
  await page.keyboard.press("Tab");
  await expect(options(page)).toHaveCount(0);
  await suggest(page, "neon");
  await box.press("ArrowDown");
  await box.press("Enter");
  await expect(page).toHaveURL("/tags/neon%20lights");
  await expect(page.locator(cards)).toHaveCount(1);
});

test("a late response doesn't replace a newer response", async ({ page, site }) => {
  await addVideos(site);
  await page.goto("/trending");
  const box = await suggest(page, "quiet");
  let respond = () => {};
  const held = new Promise<void>((resolve) => {
    respond = resolve;
  });
  await page.route(/suggestions\?q=neon$/, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  const request = page.waitForRequest(/suggestions\?q=neon$/);
  await box.fill("neon");
  await request;
  await box.fill("neon rain");
  await expect(options(page)).toHaveText(["Neon RainVideo"]);
  respond();
  await box.press("ArrowDown");
  await expect(options(page)).toHaveText(["Neon RainVideo"]);
});

test("searching still works when suggestions fail", async ({ page, site }) => {
  await addVideos(site);
  await page.route(/search\/suggestions/, (route) => route.abort());
  await page.goto("/trending");
  const failed = page.waitForEvent("requestfailed");
  await (await openField(page)).pressSequentially("neon");
  await failed;
  await expect(options(page)).toHaveCount(0);
  await field(page).press("Enter");
  await expect(page).toHaveURL("/?search=neon");
});

test("pressing slash focuses the search field, except while the user is typing", async ({
  page,
  site,
}) => {
  await addVideos(site);
  await page.goto("/trending");
  await expect(async () => {
    await page.keyboard.press("/");
    await expect(field(page)).toBeFocused({ timeout: 1_000 });
  }).toPass();
  await expect(field(page)).toHaveValue("");
  await page.keyboard.type("a/b");
  await expect(field(page)).toHaveValue("a/b");

  await page.goto("/contact");
  await page.getByLabel("Message").fill("");
  await page.getByLabel("Message").pressSequentially("and/or");
  await expect(page.getByLabel("Message")).toHaveValue("and/or");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("Control+/");
  await expect(field(page)).not.toBeFocused();

  await page.setViewportSize({ width: 500, height: 800 });
  await expect(async () => {
    await page.keyboard.press("/");
    await expect(field(page)).toBeFocused({ timeout: 1_000 });
  }).toPass();
  await page.keyboard.press("Escape");
  await expect(field(page)).toBeHidden();
});

test("both the slash key and the header's search icon focus the only search field on Home", async ({
  page,
  site,
}) => {
  await addVideos(site);
  await page.goto("/");
  await expect(field(page)).toHaveCount(0);
  await expect(page.getByRole("searchbox")).toHaveCount(1);
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.getByRole("searchbox").blur();
  await page.getByRole("link", { name: "Search" }).click();
  await expect(page.getByRole("searchbox")).toBeFocused();
});
