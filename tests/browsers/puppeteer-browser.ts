import puppeteer, { type KeyInput, type LaunchOptions } from "puppeteer-core";
import { CHROMIUM_LAUNCH } from "../chromium";
import type { Browser } from "./browser";

/** Launches Chromium, controlled through the Chrome DevTools Protocol. */
export function launchChromium(): Promise<Browser> {
  return launch("Chromium", { ...CHROMIUM_LAUNCH, browser: "chrome" });
}

/** Launches Firefox, controlled through WebDriver BiDi. */
export function launchFirefox(executablePath: string): Promise<Browser> {
  return launch("Firefox", {
    browser: "firefox",
    executablePath,
    extraPrefsFirefox: { "media.autoplay.default": 0 },
  });
}

async function launch(name: string, options: LaunchOptions): Promise<Browser> {
  const browser = await puppeteer.launch({
    ...options,
    headless: true,
    defaultViewport: { width: 1280, height: 900 },
  });
  const page = await browser.newPage();
  const element = async (selector: string) =>
    (await page.waitForSelector(selector, { visible: true })) ?? undefined;
  return {
    name,
    open: async (address) => void (await page.goto(address)),
    run: (script, ...args) => page.evaluate(script as () => never, ...(args as unknown as [])),
    click: async (selector) => (await element(selector))?.click(),
    hover: async (selector) => (await element(selector))?.hover(),
    type: async (selector, text) => (await element(selector))?.type(text),
    press: (key) => page.keyboard.press(key as KeyInput),
    async chooseFile(selector, file) {
      const input = await page.waitForSelector(selector);
      await (input as Awaited<ReturnType<typeof page.$<"input">>>)?.uploadFile(file);
    },
    close: () => browser.close(),
  };
}
