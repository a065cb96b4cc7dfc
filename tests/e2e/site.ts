import { test as base, expect, type Page } from "playwright/test";
import { axeViolations } from "../axe";
import { isHydrated } from "../browsers/hydrated";
import { ADMIN, SiteProcess } from "../site-process";

export { expect } from "playwright/test";
export { ADMIN } from "../site-process";

/**
 * Of a site beside the usual one. The files that need another one share it: each further set of settings
 * starts a worker, a browser and a site for each size of screen, five seconds of a processor.
 */
export const OTHER_SITE = {
  SITE_NAME: "Another site",
  JOIN_URL: "https://chat.example/channel",
  MAX_THUMBNAIL_BYTES: String(3 * 1024 * 1024),
};

/**
 * `site` is a running site of the worker's own, empty at the start of each test, with a queue that goes on.
 * `siteEnvironment` gives it other settings: `test.use({ siteEnvironment: { AGE_GATE: "on" } })`.
 * Every page, of whichever context, has been opened once its scripts have begun.
 */
export const test = base.extend<
  { site: SiteProcess },
  { siteEnvironment: Record<string, string>; siteProcess: SiteProcess; alivePages: undefined }
>({
  siteEnvironment: [{}, { option: true, scope: "worker" }],
  siteProcess: [
    async ({ siteEnvironment }, use) => {
      const site = new SiteProcess({ ...siteEnvironment });
      await site.start();
      await use(site);
      await site.remove();
    },
    { scope: "worker" },
  ],
  site: async ({ siteProcess }, use) => {
    siteProcess.database().exec("DELETE FROM videos");
    siteProcess.database().exec("UPDATE queue_state SET paused_at = NULL");
    await use(siteProcess);
  },
  baseURL: async ({ siteProcess }, use) => use(siteProcess.url),
  alivePages: [
    async ({ browser }, use) => {
      const page = await browser.newPage();
      const pages = Object.getPrototypeOf(page) as Page;
      await page.close();
      const { goto, reload } = pages;
      pages.goto = async function (this: Page, address, options) {
        const answer = await goto.call(this, address, options);
        if (!options?.waitUntil) await becomesAlive(this);
        return answer;
      };
      pages.reload = async function (this: Page, options) {
        const answer = await reload.call(this, options);
        if (!options?.waitUntil) await becomesAlive(this);
        return answer;
      };
      await use(undefined);
    },
    { scope: "worker", auto: true },
  ],
});

const ALIVE_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 20;

/**
 * A page is loaded before its scripts are asked for, and a person does not press a key in between. Returns at
 * once where a page has none, and after two seconds where they are kept from it.
 */
async function becomesAlive(page: Page): Promise<void> {
  const until = Date.now() + ALIVE_WITHIN_MS;
  for (let isAlive = false; !isAlive && Date.now() < until; ) {
    // An error: it leads on to another page.
    isAlive = await page.evaluate(isHydrated).catch(() => false);
    // What React does after the first commit it does in a task of its own.
    await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
  }
}

/** Signs the browser in without the form, which takes seconds and has tests of its own. */
export async function signIn(page: Page): Promise<void> {
  const answer = await page.request.post("/auth", {
    form: ADMIN,
    headers: { "Sec-Fetch-Site": "same-origin" },
    maxRedirects: 0,
  });
  expect(answer.status()).toBe(302);
  // The next page would greet.
  await page.context().clearCookies({ name: "toast" });
}

/** Signs in through the form, as an admin does. */
export async function signInByForm(page: Page): Promise<void> {
  await page.goto("/auth");
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password").fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/");
}

/** A colour on its way to another one has the contrast of neither. */
export async function transitionsEnd(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
}

/** Fails with a readable list when axe finds anything on the page as it is now. */
export async function expectNoViolations(page: Page): Promise<void> {
  await transitionsEnd(page);
  expect(await axeViolations(page)).toEqual([]);
}
