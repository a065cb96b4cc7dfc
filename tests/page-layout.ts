import type { Page } from "playwright";

/** How far the page scrolls sideways in pixels, and what of its controls lies outside of the screen. */
export function overflow(page: Page): Promise<{ sideways: number; outside: string[] }> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const outside = [...document.querySelectorAll("a, button, input, select, textarea, summary")]
      .filter((control) => {
        const { left, right } = control.getBoundingClientRect();
        // The rows of categories and of what was begun scroll by themselves, and what has no size is not shown.
        const shown = control.checkVisibility() && right - left > 1;
        const scrolls = control.closest(".category-row, .continue-row, .player");
        return shown && !scrolls && (left < -1 || right > width + 1);
      })
      .map((control) => control.outerHTML.slice(0, 120));
    return { sideways: document.documentElement.scrollWidth - width, outside };
  });
}

/** What a finger can hardly hit: controls that are less than 44 pixels high. */
export function lowControls(page: Page): Promise<string[]> {
  return page.locator("a, button, summary").evaluateAll((all) =>
    all
      // The links of a text, the card, and the player are measured elsewhere or are no targets.
      .filter((each) => each.checkVisibility() && !each.closest(".sr-only, p, .player"))
      .filter((each) => each.getBoundingClientRect().height < 44)
      .map((each) => each.outerHTML.slice(0, 120)),
  );
}

/** In the page, before its own scripts: as a browser does whose text size is doubled. */
export function doubleText(): void {
  new MutationObserver((_, observer) => {
    document.documentElement.style.fontSize = "200%";
    observer.disconnect();
  }).observe(document, { childList: true });
}

/** Shows the open page on a screen of another width, with text of another size. */
export async function showAt(page: Page, width: number, textPercent: number): Promise<void> {
  await page.setViewportSize({ width, height: 740 });
  await page.evaluate(async (percent) => {
    document.documentElement.style.fontSize = `${percent}%`;
    // What the page measures after a resize, it has laid out in the second frame.
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  }, textPercent);
}

/** Widths in pixels, and sizes of the text in percent, at which every page must fit the screen. */
const SCREENS = [
  [320, 100],
  [360, 200],
  [768, 200],
  [1_024, 200],
] as const;

/** What `overflow` finds on the open page on each of the screens that it must fit; none where it fits. */
export async function overflowOnScreens(page: Page): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [width, textPercent] of SCREENS) {
    await showAt(page, width, textPercent);
    const { sideways, outside } = await overflow(page);
    if (sideways || outside.length) found.push({ width, textPercent, sideways, outside });
  }
  return found;
}
