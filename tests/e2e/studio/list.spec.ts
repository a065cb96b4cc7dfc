import { overflow } from "../../page-layout";
import { expect, expectNoViolations, signIn, test } from "../site";

test("filters the list, selects columns, and saves and removes a view", async ({ page, site }) => {
  site.database().exec("DELETE FROM saved_views");
  site.addVideo({ id: "old", title: "Old video", created_at: "2025-01-31T12:00:00.000Z" });
  site.addVideo({ id: "bare", title: "Bare video", created_at: "2025-03-01T12:00:00.000Z" });
  site.addVideo({ id: "new", title: "New video", created_at: "2025-03-02T12:00:00.000Z" });
  site.database().exec(`UPDATE videos SET thumbnail_url =
    iif(id = 'new', '/media/thumbnails/u/1.webp', NULL)`);
  await signIn(page);
  await page.goto("/admin?tab=manage");
  const titles = page.locator(".video-row-title a");
  await expect(titles).toHaveText(["New video", "Bare video", "Old video"]);

  await expect(page.getByLabel("Added on or after")).toBeHidden();
  const more = page.locator("summary", { hasText: "More filters" });
  await more.focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Added on or after").fill("2025-02-10");
  await page.getByLabel("No thumbnail").check();
  await page.getByRole("group", { name: "Columns" }).getByLabel("Views").uncheck();
  await page.getByLabel("No thumbnail").press("Enter");
  await expect(titles).toHaveText(["Bare video"]);
  const url = new URL(page.url());
  expect(url.searchParams.get("from")).toMatch(/^2025-02-(09|10)/);
  expect(url.searchParams.get("no-thumbnail")).toBe("1");
  await expect(page.getByLabel("Added on or after")).toHaveValue("2025-02-10");
  await expect(page.getByRole("columnheader", { name: "Views" })).toHaveCount(0);
  await expectNoViolations(page);
  expect(await overflow(page)).toEqual({ sideways: 0, outside: [] });

  await page.locator("summary", { hasText: "Save view" }).click();
  await page.getByLabel("View name").fill("Bare since February");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("View saved")).toBeVisible();
  await page.getByRole("link", { name: "Clear" }).click();
  await expect(titles).toHaveText(["New video", "Bare video", "Old video"]);
  const views = page.getByRole("navigation", { name: "Saved views" });
  await views.getByRole("link", { name: "Bare since February" }).click();
  await expect(titles).toHaveText(["Bare video"]);

  await page.getByRole("button", { name: "Remove the view Bare since February" }).click();
  await expect(views).toHaveCount(0);

  // Changing a filter keeps the focus on it.
  const status = page.getByRole("combobox", { name: "Status" });
  await status.focus();
  await status.selectOption({ label: "Hidden" });
  await expect(page).toHaveURL(/status=hidden/);
  await expect(page.getByRole("link", { name: "Clear" })).toBeVisible();
  await expect(status).toBeFocused();
});
