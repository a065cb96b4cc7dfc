import { expect, OTHER_SITE, signIn, test } from "../site";

test.use({ siteEnvironment: OTHER_SITE });

test("the edit dialog tells the limits that are set", async ({ page, site }) => {
  site.addVideo({ id: "v0", title: "Film 0" });
  await signIn(page);
  await page.goto("/admin?tab=manage&edit=v0");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("PNG, JPG, GIF up to 3MB")).toBeVisible();
});
