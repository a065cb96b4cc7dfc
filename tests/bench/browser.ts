import { type Browser, chromium } from "playwright";
import { CHROMIUM_LAUNCH } from "../chromium";

/** Launches Chromium in the same way as the end-to-end tests. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch(CHROMIUM_LAUNCH);
}
