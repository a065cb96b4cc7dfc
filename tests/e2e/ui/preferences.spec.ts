import fs from "node:fs";
import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { lowControls } from "../../page-layout";
import { expect, expectNoViolations, signIn, test } from "../site";

/** The longest animation or transition that any element on the page, or a part of it, may run. */
function longestMotionMs(page: Page): Promise<number> {
  return page.evaluate(() => {
    const milliseconds = (times: string) =>
      Math.max(...times.split(",").map((time) => Number.parseFloat(time) * 1_000));
    let longest = 0;
    for (const element of document.querySelectorAll("*")) {
      for (const part of ["", "::before", "::after"]) {
        const style = getComputedStyle(element, part);
        longest = Math.max(longest, milliseconds(style.transitionDuration));
        if (style.animationName !== "none") {
          longest = Math.max(longest, milliseconds(style.animationDuration));
        }
      }
    }
    return longest;
  });
}

test("nothing moves for who asked for less motion, over the picture either", async ({
  page,
  site,
}) => {
  const clip = site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)));
  await fill(site, 9, (number) => ({ video_url: number === 1 ? clip : "" }));
  for (const path of ["/", "/video/v1"]) {
    await page.goto(path);
    expect([path, await longestMotionMs(page)]).not.toEqual([path, 0]);
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect([path, await longestMotionMs(page)]).toEqual([path, 1]);
    await page.emulateMedia({ reducedMotion: "no-preference" });
  }
});

test("in high contrast the selected choice and the icons can be told", async ({ page, site }) => {
  await fill(site, 20);
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto("/?category=desi");
  const colors = (name: string) =>
    page
      .getByRole("navigation", { name: "Video categories" })
      .getByRole("link", { name })
      .evaluate((link) => {
        const { color, backgroundColor } = getComputedStyle(link);
        return { color, backgroundColor };
      });
  const [selected, other] = [await colors("Desi"), await colors("English")];
  expect(selected.backgroundColor).not.toBe(other.backgroundColor);
  expect(selected.backgroundColor).not.toBe(selected.color);
  const ofPage = page.getByRole("link", { name: "Page 1", exact: true });
  await expect(ofPage).toHaveCSS("background-color", selected.backgroundColor);

  // An icon has the colour of the words beside it.
  const icons = await page.locator("svg:not([class*=fill])").evaluateAll((all) =>
    all.map((icon) => {
      const parent = icon.parentElement as Element;
      return getComputedStyle(icon).color === getComputedStyle(parent).color;
    }),
  );
  expect(icons).not.toContain(false);
});

test("print is dark on white", async ({ page, site }) => {
  await fill(site, 2, () => ({ description: "Some words.", views: 3 }));
  await page.emulateMedia({ media: "print" });
  for (const path of ["/", "/video/v1", "/privacy"]) {
    await page.goto(path);
    await expect(page.locator("body")).toHaveCSS("background-color", "rgb(255, 255, 255)");
    await expect(page.locator("body")).toHaveCSS("color", "rgb(0, 0, 0)");
    await expect(page.getByRole("contentinfo").getByRole("navigation")).toHaveCount(0);
    await expectNoViolations(page);
  }
});

test("on a phone on its side the header scrolls away", async ({ page, site }) => {
  await fill(site, 8);
  await page.setViewportSize({ width: 740, height: 360 });
  await page.goto("/");
  await expect(page.getByRole("banner")).toBeInViewport();
  await page.mouse.wheel(0, 400);
  await expect(page.getByRole("banner")).not.toBeInViewport();
  // Upright it stays.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.mouse.wheel(0, 400);
  await expect(page.getByRole("banner")).toBeInViewport();
});

test("what a finger presses is 44 pixels high @phone-only", async ({ page, site }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await fill(site, 40, () => ({ tags: '["evening", "sea"]' }));
  for (const path of ["/", "/?page=2", "/categories/desi", "/video/v1", "/nonsense"]) {
    await page.goto(path);
    expect([path, await lowControls(page)]).toEqual([path, []]);
  }
});

test("what an admin's finger presses is 44 pixels high @phone-only", async ({ page, site }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await fill(site, 3);
  site
    .database()
    .prepare(
      "INSERT OR REPLACE INTO jobs (video_id, kind, priority, state) VALUES (?, 'ladder', 1, ?)",
    )
    .run("v1", "failed");
  await signIn(page);
  for (const path of ["/admin", "/admin?tab=manage&status=published", "/admin/queue"]) {
    await page.goto(path);
    expect([path, await lowControls(page)]).toEqual([path, []]);
  }
});

test("titles, descriptions, tags and searches are written in their own direction", async ({
  page,
  site,
}) => {
  const title = "فيلم: Neon";
  await fill(site, 3, (number) => ({
    title: number === 1 ? title : `Video ${number}`,
    description: number === 1 ? "First line.\nشرح قصير" : "",
    tags: '["بحر"]',
  }));
  const direction = (element: Element) => getComputedStyle(element).direction;
  await page.goto("/");
  expect(await page.getByRole("heading", { name: title }).evaluate(direction)).toBe("rtl");
  expect(await page.getByRole("heading", { name: "Video 2" }).evaluate(direction)).toBe("ltr");
  await page.goto("/video/v1");
  expect(await page.getByRole("heading", { name: title, level: 1 }).evaluate(direction)).toBe(
    "rtl",
  );
  expect(await page.getByRole("link", { name: "بحر" }).evaluate(direction)).toBe("rtl");
  await expect(page.getByText("First line.")).toHaveCSS("unicode-bidi", "plaintext");
  await page.goto("/?search=بحر");
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText("Results for “بحر”");
  expect(await heading.evaluate(direction)).toBe("ltr");
  expect(await heading.locator("bdi").evaluate(direction)).toBe("rtl");
  expect(await page.getByRole("searchbox").evaluate(direction)).toBe("rtl");
});

test("one view is one view", async ({ page, site }) => {
  // Ids of their own: a view of the page of another test may be written late.
  await fill(site, 2, (number) => ({ id: `counted-${number}`, views: number }));
  await page.goto("/");
  await expect(page.getByRole("article").nth(0)).toContainText("1 view ·");
  await expect(page.getByRole("article").nth(1)).toContainText("2 views ·");
});

test("the selected category is in view, and the row fades where it goes on @phone-only", async ({
  page,
  site,
}) => {
  await fill(site, 1);
  await page.setViewportSize({ width: 360, height: 740 });
  const row = page.getByRole("navigation", { name: "Video categories" }).getByRole("list");
  await page.goto("/");
  await expect(row).toHaveAttribute("data-cut", "end");
  for (const [category, label, cut] of [
    ["english", "English", "start end"],
    ["premium", "Premium Video", "start"],
  ] as const) {
    await page.goto(`/categories/${category}`);
    await expect(row.getByRole("link", { name: label })).toBeInViewport({ ratio: 1 });
    await expect(row).toHaveAttribute("data-cut", cut);
  }
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});
