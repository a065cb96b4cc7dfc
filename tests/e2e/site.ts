import { test as base, expect, type Page } from "playwright/test";
import { axeViolations } from "../axe";
import { isHydrated } from "../browsers/hydrated";
import { ADMIN, SiteProcess } from "../site-process";

export { expect } from "playwright/test";
export { ADMIN } from "../site-process";

/**
 * Settings for a second site, for tests that can't use the default one. They all share these settings, because each
 * additional set of settings would require another worker, browser and site for each screen size, which takes five
 * seconds of CPU time.
 */
export const OTHER_SITE = {
  SITE_NAME: "Another site",
  JOIN_URL: "https://chat.example/channel",
  MAX_THUMBNAIL_BYTES: String(3 * 1024 * 1024),
};

/**
 * `site` is a running site for each worker. At the start of each test it has no videos, and its queue isn't paused.
 * `siteEnvironment` changes its settings: `test.use({ siteEnvironment: { AGE_GATE: "on" } })`.
 * `goto` and `reload` of every page, in any context, wait for hydration.
 */
export const test = base.extend<
  { site: SiteProcess },
  { siteEnvironment: Record<string, string>; siteProcess: SiteProcess; hydratedPages: undefined }
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
  hydratedPages: [
    async ({ browser }, use) => {
      const page = await browser.newPage();
      const prototype = Object.getPrototypeOf(page) as Page;
      await page.close();
      const { goto, reload } = prototype;
      prototype.goto = async function (this: Page, url, options) {
        const response = await goto.call(this, url, options);
        if (!options?.waitUntil) await waitForHydration(this);
        return response;
      };
      prototype.reload = async function (this: Page, options) {
        const response = await reload.call(this, options);
        if (!options?.waitUntil) await waitForHydration(this);
        return response;
      };
      await use(undefined);
    },
    { scope: "worker", auto: true },
  ],
});

const HYDRATION_TIMEOUT_MS = 2_000;
const POLL_INTERVAL_MS = 20;

/**
 * Waits until a page is hydrated, because Playwright, unlike a person, would act before the page's scripts have loaded.
 * Returns immediately for a page without scripts, and after two seconds if the scripts are blocked.
 */
async function waitForHydration(page: Page): Promise<void> {
  const until = Date.now() + HYDRATION_TIMEOUT_MS;
  for (let isReady = false; !isReady && Date.now() < until; ) {
    // The evaluation fails if the page is navigating to another page.
    isReady = await page.evaluate(isHydrated).catch(() => false);
    // After the first commit, React continues in a separate task.
    await new Promise((next) => setTimeout(next, POLL_INTERVAL_MS));
  }
}

/** Signs in without the form, because submitting the form takes seconds, and other tests cover the form. */
export async function signIn(page: Page): Promise<void> {
  const response = await page.request.post("/auth", {
    form: ADMIN,
    headers: { "Sec-Fetch-Site": "same-origin" },
    maxRedirects: 0,
  });
  expect(response.status()).toBe(302);
  // Otherwise, the next page would show the sign-in toast.
  await page.context().clearCookies({ name: "toast" });
}

/** Signs in through the form. */
export async function signInByForm(page: Page): Promise<void> {
  await page.goto("/auth");
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password").fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/");
}

/** Waits for CSS transitions to end, because color contrast is lower during a transition. */
export async function transitionsEnd(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });
}

/** Fails with a readable list if axe finds violations on the current page. */
export async function expectNoViolations(page: Page): Promise<void> {
  await transitionsEnd(page);
  expect(await axeViolations(page)).toEqual([]);
}
