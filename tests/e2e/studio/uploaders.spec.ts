import { expect, expectNoViolations, signIn, test } from "../site";

const EMAIL = "uploader@example.com";

test.beforeEach(({ site }) => {
  const database = site.database();
  database.exec(`DELETE FROM users WHERE email = '${EMAIL}'`);
  database
    .prepare(
      "INSERT INTO users (id, email, password_hash, role, may_publish) VALUES (?, ?, '', ?, 1)",
    )
    .run("uploader", EMAIL, "uploader");
  site.addVideo({ id: "v", title: "Theirs", uploaded_by: "uploader", status: "published" });
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("an owner gives an uploader a strike, withdraws it, and blocks the account @phone", async ({
    page,
    site,
  }) => {
    await signIn(page);
    await page.goto("/admin/users");
    const row = page.getByRole("listitem").filter({ hasText: EMAIL }).first();
    await row.locator("summary").click();
    await row.getByLabel(`Reason of a strike for ${EMAIL}`).fill("A stolen film");
    await row.getByRole("button", { name: "Give a strike" }).click();
    await expect(page.getByText(`${EMAIL} has 1 strike.`)).toBeVisible();

    await row.locator("summary").click();
    await expect(row.getByRole("list", { name: `Strikes of ${EMAIL}` })).toContainText(
      "A stolen film",
    );
    await row.getByRole("button", { name: "Withdraw the strike" }).click();
    await row.locator("summary").click();
    await expect(row.getByRole("list", { name: `Strikes of ${EMAIL}` })).toContainText("withdrawn");

    await row.getByLabel("Hide what they have published", { exact: true }).check();
    await row.getByRole("button", { name: `Block ${EMAIL}` }).click();
    await expect(page.getByText(`${EMAIL} is blocked. 1 video hidden.`)).toBeVisible();
    const status = site.database().prepare("SELECT status FROM videos WHERE id = 'v'").pluck();
    expect(status.get()).toBe("hidden");
    await row.getByRole("button", { name: `Let ${EMAIL} sign in again` }).click();
    await expect(page.getByText("1 video came back.")).toBeVisible();
    expect(status.get()).toBe("published");
  });
});

test("the open controls of an uploader have no violation @phone", async ({ page }) => {
  await signIn(page);
  await page.goto("/admin/users");
  await page.getByText("Strikes and block").click();
  await expectNoViolations(page);
});
