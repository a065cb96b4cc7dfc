import type { Page } from "playwright";
import type { SiteProcess } from "../../tests/site-process";

export interface Screen {
  name: string;
  address: string;
  audience: "newcomer" | "visitor" | "admin";
  /** What a person with scripts does before the picture. */
  prepare?: (page: Page) => Promise<void>;
}

/** Every screen of the site, on the videos that are there. */
export function screensOf(site: SiteProcess): Screen[] {
  const [video, other] = site
    .database()
    .prepare("SELECT id FROM videos WHERE status = 'published' ORDER BY views DESC, id LIMIT 2")
    .pluck()
    .all() as string[];
  const visitor = (name: string, address: string, prepare?: Screen["prepare"]): Screen => ({
    name,
    address,
    audience: "visitor",
    prepare,
  });
  const admin = (name: string, address: string, prepare?: Screen["prepare"]): Screen => ({
    name,
    address,
    audience: "admin",
    prepare,
  });
  return [
    { name: "Age dialog", address: "/", audience: "newcomer" },
    visitor("Home", "/"),
    visitor("Menu", "/", async (page) => {
      const menu = page.getByRole("banner").locator("summary");
      if (await menu.isVisible()) await menu.click();
    }),
    visitor("Search results", "/?search=night"),
    visitor("No results", "/?search=nothing-like-it"),
    visitor("Categories", "/categories"),
    visitor("Category", "/categories/english"),
    visitor("Trending", "/trending"),
    visitor("Saved, empty", "/saved"),
    visitor("Video", `/video/${video}`),
    visitor("Video, playing", `/video/${other}`, async (page) => {
      await page.locator("video").evaluate((element: HTMLVideoElement) => {
        element.muted = true;
        return element.play().catch(() => undefined);
      });
      await page.getByRole("region", { name: "Video player" }).hover();
    }),
    visitor("Video, share", `/video/${video}`, (page) =>
      page.getByRole("button", { name: "Share" }).first().click(),
    ),
    visitor("Video, shortcuts", `/video/${video}`, (page) => page.keyboard.press("?")),
    visitor("Unknown video", "/video/nobody"),
    visitor("Unknown page", "/nonsense"),
    visitor("Contact", "/contact"),
    visitor("Privacy", "/privacy"),
    visitor("DMCA", "/dmca"),
    visitor("Sign in", "/auth"),
    admin("Upload", "/admin"),
    admin("Manage", "/admin?tab=manage"),
    admin("Manage, edit", `/admin?tab=manage&edit=${video}`),
    admin("Manage, delete", `/admin?tab=manage&delete=${video}`),
    admin("Manage, nothing found", "/admin?tab=manage&search=nothing-like-it"),
    admin("Statistics", "/admin/statistics"),
    admin("Activity", "/admin/activity"),
    admin("Queue", "/admin/queue"),
    admin("Account", "/admin/account"),
  ];
}
