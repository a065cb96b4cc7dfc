import { expect, type Page } from "playwright/test";

/**
 * Holds the page's requests for a URL until the returned function is called. That function throws if no request was
 * held, because the test's result would then depend on how fast the site responds.
 */
export async function holdRequests(page: Page, url: string | RegExp): Promise<() => Promise<void>> {
  let held = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    held += 1;
    await released;
    await route.continue();
  });
  return async () => {
    await expect.poll(() => held, `requests held at ${url}`).toBeGreaterThan(0);
    release();
  };
}
