import type { Page } from "playwright";

/** Returns how far the page scrolls horizontally, in pixels, and the controls that are off screen. */
export function overflow(page: Page): Promise<{ sideways: number; outside: string[] }> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const outside = [...document.querySelectorAll("a, button, input, select, textarea, summary")]
      .filter((control) => {
        const { left, right } = control.getBoundingClientRect();
        // The category row and the "Continue watching" row scroll separately. Elements without a size aren't shown.
        const shown = control.checkVisibility() && right - left > 1;
        const scrolls = control.closest(".category-row, .continue-row, .player");
        return shown && !scrolls && (left < -1 || right > width + 1);
      })
      .map((control) => control.outerHTML.slice(0, 120));
    return { sideways: document.documentElement.scrollWidth - width, outside };
  });
}

/** Returns the controls that are too small to tap because they are less than 44 pixels high. */
export function smallControls(page: Page): Promise<string[]> {
  return page.locator("a, button, summary").evaluateAll((all) =>
    all
      // Links within text aren't tap targets, and the player is measured elsewhere.
      .filter((each) => each.checkVisibility() && !each.closest(".sr-only, p, .player"))
      .filter((each) => each.getBoundingClientRect().height < 44)
      .map((each) => each.outerHTML.slice(0, 120)),
  );
}

/** Doubles the text size, as a browser setting does. Runs in the page before its own scripts. */
export function doubleTextSize(): void {
  new MutationObserver((_, observer) => {
    document.documentElement.style.fontSize = "200%";
    observer.disconnect();
  }).observe(document, { childList: true });
}

/** Sets the viewport width and the text size of the open page. */
export async function resizePage(page: Page, width: number, textPercent: number): Promise<void> {
  await page.setViewportSize({ width, height: 740 });
  await page.evaluate(async (percent) => {
    document.documentElement.style.fontSize = `${percent}%`;
    // The page measures itself after a resize, and the result affects the layout only in the second frame.
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  }, textPercent);
}

/** Viewport widths in pixels and text sizes in percent at which every page must fit the screen. */
const SCREENS = [
  [320, 100],
  [360, 200],
  [768, 200],
  [1_024, 200],
] as const;

/**
 * Returns the results of `overflow` on the open page at each viewport width and text size, or an empty list if the page
 * always fits.
 */
export async function overflowOnScreens(page: Page): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [width, textPercent] of SCREENS) {
    await resizePage(page, width, textPercent);
    const { sideways, outside } = await overflow(page);
    if (sideways || outside.length) found.push({ width, textPercent, sideways, outside });
  }
  return found;
}
