import type { Page } from "playwright";
import { axeViolations } from "../axe";
import { overflow, smallControls } from "../page-layout";

/**
 * Finds layout problems: horizontal scrolling, controls that are off screen, and controls that are too small to tap.
 * @param touch whether the device has a touchscreen.
 */
export async function layoutFindings(page: Page, touch: boolean): Promise<string[]> {
  const { sideways, outside } = await overflow(page);
  const low = touch ? await smallControls(page) : [];
  return [
    ...(sideways > 0 ? [`scrolls horizontally by ${sideways} px`] : []),
    ...outside.map((control) => `off screen: ${control}`),
    ...low.map((control) => `less than 44 px high: ${control}`),
  ];
}

/** Returns the violations that axe finds. This requires scripts. */
export async function axeFindings(page: Page): Promise<string[]> {
  return (await axeViolations(page)).map((violation) => `axe, ${violation}`);
}
