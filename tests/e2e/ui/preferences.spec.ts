import fs from "node:fs";
import type { Page } from "playwright/test";
import { axeViolations } from "../../axe";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { smallControls } from "../../page-layout";
import { expect, signIn, test, transitionsEnd } from "../site";

/** Returns the longest animation or transition of any element or pseudo-element on the page. */
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

test("pages respect reduced motion, increased contrast, forced colors and print", async ({
  page,
  site,
}) => {
  const clip = site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)));
  await fill(site, 20, (number) => ({
    video_url: number === 1 ? clip : "",
    description: "Some words.",
    tags: '["evening"]',
    views: 3,
  }));
  const usual = { contrast: "no-preference", forcedColors: "none", media: "screen" } as const;
  const moreContrast = async () => {
    await page.emulateMedia({ contrast: "more" });
    await transitionsEnd(page);
    expect(await axeViolations(page, ["color-contrast-enhanced"])).toEqual([]);
    await page.emulateMedia(usual);
  };
  const lessMotion = async () => {
    expect(await longestMotionMs(page)).not.toBe(0);
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect(await longestMotionMs(page)).toBe(1);
    await page.emulateMedia({ reducedMotion: "no-preference" });
  };
  const darkOnWhite = async () => {
    await page.emulateMedia({ media: "print" });
    await expect(page.locator("body")).toHaveCSS("background-color", "rgb(255, 255, 255)");
    await expect(page.locator("body")).toHaveCSS("color", "rgb(0, 0, 0)");
    await expect(page.getByRole("contentinfo").getByRole("navigation")).toHaveCount(0);
    await transitionsEnd(page);
    expect(await axeViolations(page, ["color-contrast"])).toEqual([]);
    await page.emulateMedia(usual);
  };
  await page.goto("/?category=desi");
  await test.step("a list with reduced motion", lessMotion);
  await test.step("a list with a contrast ratio of 7:1", moreContrast);
  await test.step("a list with forced colors", () => highContrast(page));
  await page.emulateMedia(usual);
  await page.goto("/video/v1");
  await test.step("a video with reduced motion", lessMotion);
  await test.step("a video with a contrast ratio of 7:1", moreContrast);
  await test.step("a printed video page", darkOnWhite);
  await page.goto("/auth");
  await test.step("a form with a contrast ratio of 7:1", moreContrast);
});

/** Checks that the selected option and the icons can be told apart in forced colors. */
async function highContrast(page: Page): Promise<void> {
  await page.emulateMedia({ forcedColors: "active" });
  await transitionsEnd(page);
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

  // An icon has the same color as the text next to it.
  const icons = await page.locator("svg:not([class*=fill])").evaluateAll((all) =>
    all.map((icon) => {
      const parent = icon.parentElement as Element;
      return getComputedStyle(icon).color === getComputedStyle(parent).color;
    }),
  );
  expect(icons).not.toContain(false);
}

test("on a phone in landscape, the header scrolls away", async ({ page, site }) => {
  await fill(site, 8);
  await page.setViewportSize({ width: 740, height: 360 });
  await page.goto("/");
  await expect(page.getByRole("banner")).toBeInViewport();
  await page.mouse.wheel(0, 400);
  await expect(page.getByRole("banner")).not.toBeInViewport();
  // In portrait, the header stays visible.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.mouse.wheel(0, 400);
  await expect(page.getByRole("banner")).toBeInViewport();
});

test("touch targets are 44 pixels high @phone-only", async ({ page, site }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await fill(site, 40, () => ({ tags: '["evening", "sea"]' }));
  for (const path of ["/", "/categories/desi", "/video/v1", "/nonsense"]) {
    await page.goto(path);
    expect([path, await smallControls(page)]).toEqual([path, []]);
  }
});

test("an admin's touch targets are 44 pixels high @phone-only", async ({ page, site }) => {
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
    expect([path, await smallControls(page)]).toEqual([path, []]);
  }
});

test("titles, descriptions, tags and search queries each have their own text direction", async ({
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
  await page.goto("/?search=بحر");
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText("Results for “بحر”");
  expect(await heading.evaluate(direction)).toBe("ltr");
  expect(await heading.locator("bdi").evaluate(direction)).toBe("rtl");
  expect(await page.getByRole("searchbox").evaluate(direction)).toBe("rtl");
  expect(await page.getByRole("heading", { name: title }).evaluate(direction)).toBe("rtl");
  expect(await page.getByRole("heading", { name: "Video 2" }).evaluate(direction)).toBe("ltr");
  await page.getByRole("link", { name: title }).first().click();
  await expect(heading).toHaveText(title);
  expect(await heading.evaluate(direction)).toBe("rtl");
  expect(await page.getByRole("link", { name: "بحر" }).evaluate(direction)).toBe("rtl");
  await expect(page.getByText("First line.")).toHaveCSS("unicode-bidi", "plaintext");
});

test("the selected category is visible, and the row fades out where it is cut off @phone-only", async ({
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
