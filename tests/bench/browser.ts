import { type Browser, chromium } from "playwright";
import { CHROMIUM_LAUNCH } from "../chromium";

/** Launches Chromium as the end-to-end tests do. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch(CHROMIUM_LAUNCH);
}
