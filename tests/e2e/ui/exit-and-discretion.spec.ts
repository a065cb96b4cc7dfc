import type { Page } from "playwright/test";
import { fill } from "../../fill-catalogue";
import { expect, expectNoViolations, test } from "../site";

/** Opens two hydrated pages, so that there is a history entry before the current page. */
async function openTwoPages(page: Page): Promise<void> {
  await page.goto("/trending");
  await page.goto("/", { waitUntil: "networkidle" });
}

test("“Exit this page” is in the menu and removes the page from the history @phone-only", async ({
  page,
  site,
}) => {
  await fill(site, 2);
  await openTwoPages(page);
  await page.getByRole("banner").locator("summary").click();
  const exit = page.getByRole("banner").getByRole("link", { name: "Exit this page" });
  await expectNoViolations(page);
  await exit.click();
  await expect(page).toHaveURL("about:blank");
  await page.goBack();
  await expect(page).toHaveURL("/trending");
});

test("pressing Shift three times leaves the site, even from a field or a dialog", async ({
  page,
  site,
}) => {
  await fill(site, 2);
  await openTwoPages(page);
  await page.keyboard.press("Shift");
  await expect(page.getByText("Shift, press 2 more times to exit.")).toBeAttached();
  // Another key resets the count, so that the test doesn't depend on the limit of five seconds between two presses.
  await page.keyboard.press("Escape");
  await expect(page.getByText("Exit this page expired.")).toBeAttached();
  for (let times = 0; times < 3; times += 1) await page.keyboard.press("Shift");
  await expect(page).toHaveURL("about:blank");
  await page.goBack();
  await expect(page).toHaveURL("/trending");

  await page.goto("/contact", { waitUntil: "networkidle" });
  const name = page.getByLabel("Name");
  await name.focus();
  for (const letter of "ANN LEE") await page.keyboard.press(`Shift+${letter}`);
  await expect(name).toHaveValue("ANN LEE");
  await expect(page).toHaveURL("/contact");
  for (let times = 0; times < 3; times += 1) await page.keyboard.press("Shift");
  await expect(page).toHaveURL("about:blank");
});

test("the preferences can disable the Shift shortcut, enable discreet titles and clear the stored data", async ({
  page,
  site,
}) => {
  await fill(site, 2);
  await page.goto("/preferences");
  await expect(page).toHaveTitle(/^Preferences/);
  const key = page.getByRole("checkbox", { name: "Exit this page by pressing Shift three times" });
  const titles = page.getByRole("checkbox", { name: "Discreet page titles" });
  await expect(key).toBeChecked();
  await expect(titles).not.toBeChecked();
  await expect(page.getByText("No watch history.")).toBeVisible();
  await key.press("Space");
  await titles.click();
  await expect(page).toHaveTitle("Video site");

  await page.evaluate(() => {
    const document = JSON.parse(localStorage.getItem("visitor") ?? "{}");
    const remembered = { resume: [["v1", 30]], watched: ["v2", "v3"], saved: ["v4"] };
    localStorage.setItem("visitor", JSON.stringify({ ...document, ...remembered }));
  });
  await page.reload();
  await expect(page.getByText("1 video in progress, 2 finished.")).toBeVisible();
  await expect(page.getByText("1 video saved.")).toBeVisible();
  await page.getByRole("button", { name: "Clear history" }).click();
  await expect(page.getByText("No watch history.")).toBeVisible();
  const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem("visitor") ?? "{}"));
  expect(await kept()).toEqual({
    version: 1,
    discreetTitles: true,
    exitByShift: false,
    saved: ["v4"],
  });
  await expect(key).not.toBeChecked();
  await expect(titles).toBeChecked();
  for (let times = 0; times < 3; times += 1) await page.keyboard.press("Shift");
  await page.getByRole("contentinfo").getByRole("link", { name: "Trending" }).click();
  await expect(page).toHaveURL("/trending");
  await expect(page).toHaveTitle("Video site");
  await page.getByRole("contentinfo").getByRole("link", { name: "Preferences" }).click();
  await titles.click();
  await expect(page).toHaveTitle(/^Preferences/);

  page.once("dialog", (dialog) => dialog.dismiss());
  await page.getByRole("button", { name: "Clear all data" }).click();
  await expect(page.getByText("1 video saved.")).toBeVisible();
  page.once("dialog", (dialog) => dialog.accept());
  await page.getByRole("button", { name: "Clear all data" }).click();
  await expect(page.getByText("All data cleared")).toBeVisible();
  await expect(page.getByText("No saved videos.")).toBeVisible();
  await expect(key).toBeChecked();
  expect(await kept()).toEqual({});
});

test("a discreet title is set before hydration and never replaced", async ({ page, site }) => {
  await fill(site, 2);
  await page.addInitScript(() => {
    localStorage.setItem("discreet-titles", "true");
    const titles = new Set<string>();
    Object.assign(window, { titles });
    document.addEventListener("DOMContentLoaded", () => {
      titles.add(document.title);
      const note = () => titles.add(document.title);
      new MutationObserver(note).observe(document.head, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
  });
  const titles = () =>
    page.evaluate(() => [...(window as unknown as { titles: Set<string> }).titles]);

  await page.route("**/assets/*.js", (route) => route.abort());
  await page.goto("/");
  await expect(page).toHaveTitle("Video site");
  await page.unroute("**/assets/*.js");

  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto("/", { waitUntil: "networkidle" });
  await page.getByRole("link", { name: /Video 2/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 2");
  await page.goBack();
  await expect(page.locator("main article")).toHaveCount(2);
  expect({ titles: await titles(), errors }).toEqual({ titles: ["Video site"], errors: [] });
});

test("in a browser without storage, preferences last until the page is closed", async ({
  page,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });
  await page.goto("/preferences");
  await page.getByRole("checkbox", { name: "Discreet page titles" }).click();
  await expect(page).toHaveTitle("Video site");
  await page.getByRole("contentinfo").getByRole("link", { name: "Trending" }).click();
  await expect(page).toHaveURL("/trending");
  await expect(page).toHaveTitle("Video site");
});
