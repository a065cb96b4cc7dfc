import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright";
import { lowControls, overflow } from "../../tests/page-layout";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What can be told without eyes: that the page scrolls sideways, or has controls outside of the screen or
 * too low for a finger.
 *
 * @param touch whether it is pressed by a finger.
 */
export async function layoutFindings(page: Page, touch: boolean): Promise<string[]> {
  const { sideways, outside } = await overflow(page);
  const low = touch ? await lowControls(page) : [];
  return [
    ...(sideways > 0 ? [`scrolls sideways by ${sideways} px`] : []),
    ...outside.map((control) => `outside of the screen: ${control}`),
    ...low.map((control) => `less than 44 px high: ${control}`),
  ];
}

/** What axe finds; takes scripts, and a second of a processor. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `axe, ${id}: ${html}`));
}
