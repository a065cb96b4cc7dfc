import type { Page } from "playwright";
import { axeViolations } from "../axe";
import { lowControls, overflow } from "../page-layout";

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

/** What axe finds. The page needs scripts for it. */
export async function axeFindings(page: Page): Promise<string[]> {
  return (await axeViolations(page)).map((violation) => `axe, ${violation}`);
}
