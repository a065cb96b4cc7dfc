import { type Browser, chromium } from "playwright";
import { CHROMIUM_LAUNCH } from "../chromium";

/** Chromium, as the end-to-end tests start it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch(CHROMIUM_LAUNCH);
}
