import { expect, type Page } from "playwright/test";

/**
 * Has what the page asks for at an address wait, until the function that is returned is called. It
 * fails where nothing waited: the test would depend on how slow the site is.
 */
export async function holdRequests(
  page: Page,
  address: string | RegExp,
): Promise<() => Promise<void>> {
  let held = 0;
  let open = () => {};
  const released = new Promise<void>((resolve) => {
    open = resolve;
  });
  await page.route(address, async (route) => {
    held += 1;
    await released;
    await route.continue();
  });
  return async () => {
    await expect.poll(() => held, `requests held at ${address}`).toBeGreaterThan(0);
    open();
  };
}
