import { ADMIN, expect, expectNoViolations, signIn, test } from "../site";

const PASSWORD = "a password of my own";

test("somebody is invited, sees their own drafts alone, and is deactivated", async ({
  page,
  site,
  browser,
  baseURL,
}) => {
  site.database().exec("DELETE FROM users WHERE email = 'new@example.com'");
  site.addVideo({ title: "Another's film" });
  await signIn(page);
  await page.goto("/admin/users");
  await page.getByLabel("E-mail of the new user").fill("new@example.com");
  await page.getByLabel("Role", { exact: true }).selectOption("Uploader, drafts only");
  await page.getByRole("button", { name: "Invite" }).click();
  const link = await page.getByLabel("Link of the invitation").inputValue();
  expect(link).toContain("/invite/");
  await expectNoViolations(page);

  const theirs = await browser.newContext({ baseURL });
  const guest = await theirs.newPage();
  await guest.goto(link);
  await expect(guest.getByText("as an uploader of drafts")).toBeVisible();
  await guest.getByLabel("Password", { exact: false }).first().fill(PASSWORD);
  await guest.getByLabel("The password again").fill(PASSWORD);
  await expectNoViolations(guest);
  await guest.getByRole("button", { name: "Make my account" }).click();
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
  await guest.goto("/admin");
  await expect(guest.getByRole("button", { name: "Save as Draft" })).toBeVisible();
  await expect(guest.getByRole("button", { name: "Upload Video" })).toHaveCount(0);

  await page.goto("/admin/users");
  await page.getByRole("button", { name: "Deactivate new@example.com" }).click();
  await expect(page.getByText("new@example.com can't sign in any more.")).toBeVisible();
  await expect(page.getByRole("button", { name: `Deactivate ${ADMIN.email}` })).toHaveCount(0);
  await guest.goto("/admin?tab=manage");
  await expect(guest).toHaveURL(/\/auth$/);
  await guest.goto(link);
  await expect(guest.getByText("This invitation was used. It works once.")).toBeVisible();
  await theirs.close();
});
