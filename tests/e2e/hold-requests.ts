import type { Page } from "playwright/test";

/** Has what the page asks for at an address wait, until the function that is returned is called. */
export async function holdRequests(page: Page, address: string | RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}
