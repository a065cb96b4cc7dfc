import { expect, signIn, test } from "../site";

test("renames and reorders categories, and visitors see the changes", async ({ page, site }) => {
  site.database().exec("DELETE FROM category_names");
  site.addVideo({ id: "a", title: "Aurora", category: "amateur" });
  await signIn(page);
  await page.goto("/admin/tags");
  const form = page.getByRole("region", { name: "Categories" });
  await form.getByLabel("Name of desi").fill("Trending");
  await form.getByRole("button", { name: "Save categories" }).last().click();
  await expect(form.getByText("This name is already in use.")).toBeVisible();
  await expect(form.getByLabel("Name of desi")).toHaveValue("Trending");
  await form.getByLabel("Name of desi").fill("Indian");
  await form.getByRole("button", { name: "Move Blacked up" }).click();
  await expect(page.getByText("Categories were saved.")).toBeVisible();

  await page.goto("/");
  const choices = page.getByRole("navigation", { name: "Video categories" }).getByRole("link");
  await expect(choices).toHaveText([
    ...["All Videos", "Blacked", "Indian", "English", "Model/Star", "Premium Video"],
    "Trending",
  ]);
  await expect(page.getByRole("article")).toContainText("Indian");
  await choices.getByText("Indian").click();
  await expect(page).toHaveURL(/category=desi/);
  await expect(page.getByRole("article")).toHaveCount(1);
  await page.goto("/no-such-page");
  await expect(
    page.getByRole("navigation", { name: "Popular Categories" }).getByRole("link").first(),
  ).toHaveText("Blacked");

  await page.goto("/admin/tags");
  await form.getByRole("button", { name: "Reset to defaults" }).click();
  await expect(page.getByText("Categories were reset to their defaults.")).toBeVisible();
  await page.goto("/");
  await expect(choices.nth(1)).toHaveText("Desi");
});
