import type { Page } from "playwright/test";

/**
 * Of the screen. On a page's very first load Chromium once in a while draws the header before all of it
 * has come, and moves its icons by some pixels (0.001 to 0.004); a card that moves is 0.01 and more.
 */
const SMALLEST_SHIFT = 0.005;

/** Records what moves on the pages that are opened from now on; the returned function reads it. */
export async function recordShifts(page: Page): Promise<() => Promise<number[]>> {
  await page.addInitScript((smallest) => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      const values = list
        .getEntries()
        .map((entry) => (entry as unknown as { value: number }).value);
      shifts.push(...values.filter((value) => value > smallest));
    }).observe({ type: "layout-shift", buffered: true });
  }, SMALLEST_SHIFT);
  return () => page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
}
