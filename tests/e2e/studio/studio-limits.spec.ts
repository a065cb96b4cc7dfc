import { expect, signIn, test } from "../site";

// A file of its own, because another setting needs another process.
test.use({ siteEnvironment: { MAX_THUMBNAIL_BYTES: String(3 * 1024 * 1024) } });

test("the edit dialog tells the limits that are set", async ({ page, site }) => {
  site.addVideo({ id: "v0", title: "Film 0" });
  await signIn(page);
  await page.goto("/admin?tab=manage&edit=v0");
  await expect(page.getByText("PNG, JPG, GIF up to 3MB")).toBeVisible();
});
