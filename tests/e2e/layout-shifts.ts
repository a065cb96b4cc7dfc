import type { Page } from "playwright/test";

/** `LayoutShift` from the Layout Instability API, which TypeScript's DOM types lack. */
interface Shift extends PerformanceEntry {
  value: number;
  sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
}

/**
 * Records the layout shifts on pages opened from now on. The returned function lists the score of each shift, and the
 * previous and current rectangles of its elements.
 */
export async function recordShifts(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const shifts: string[] = [];
    Object.assign(window, { shifts });
    const rectText = ({ x, y, width, height }: DOMRect) =>
      [x, y, width, height].map((length) => Math.round(length * 10) / 10).join(" ");
    const nameOf = (node: Node | null) =>
      node instanceof Element ? node.outerHTML.slice(0, 80) : (node?.textContent ?? "gone");
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as Shift[]) {
        const moved = sources.map(
          ({ node, previousRect, currentRect }) =>
            `${nameOf(node)} from ${rectText(previousRect)} to ${rectText(currentRect)}`,
        );
        shifts.push([value, ...moved].join("\n"));
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => (window as unknown as { shifts: string[] }).shifts);
}
