import { expect, expectNoViolations, signIn, test } from "../site";

const PASSWORD = "a password of my own";

test("an invited uploader sees only their own drafts", async ({ page, site, browser, baseURL }) => {
  site.database().exec("DELETE FROM users WHERE email = 'new@example.com'");
  site.addVideo({ title: "Another's video" });
  await signIn(page);
  await page.goto("/admin/users");
  await page.getByLabel("Email").fill("new@example.com");
  await page.getByLabel("Role", { exact: true }).selectOption("Uploader (drafts only)");
  await page.getByRole("button", { name: "Invite user" }).click();
  const link = await page.getByLabel("Invitation link").inputValue();
  expect(link).toContain("/invite/");

  const theirs = await browser.newContext({ baseURL });
  const guest = await theirs.newPage();
  await guest.goto(link);
  await expect(guest.getByText("as an uploader (drafts only)")).toBeVisible();
  await guest.getByLabel("Password", { exact: false }).first().fill(PASSWORD);
  await guest.getByLabel("Repeat password").fill(PASSWORD);
  await expectNoViolations(guest);
  await guest.getByRole("button", { name: "Create account" }).click();
  await guest.waitForURL((url) => url.pathname === "/");

  const { id } = site
    .database()
    .prepare("SELECT id FROM users WHERE email = 'new@example.com'")
    .get() as { id: string };
  site.addVideo({ title: "My draft", uploaded_by: id, status: "review" });
  await guest.goto("/admin?tab=manage");
  await expect(guest.getByText("1 video", { exact: true })).toBeVisible();
  await expect(guest.getByRole("link", { name: "Edit My draft" })).toBeVisible();
  await expect(guest.getByRole("button", { name: "Show My draft" })).toHaveCount(0);
  await expect(guest.getByRole("link", { name: "Users" })).toHaveCount(0);
  await theirs.close();
});
