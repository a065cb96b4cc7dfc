import { holdRequests } from "../hold-requests";
import { ADMIN, expect, expectNoViolations, OTHER_SITE, test } from "../site";

// These tests use a separate site, because failed sign-ins count against the IP address that all tests share.
test.use({ siteEnvironment: OTHER_SITE });

test.beforeEach(({ site }) => {
  site.database().exec("DELETE FROM sessions; UPDATE users SET totp_enabled_at = NULL");
});

test("an admin signs in and out", async ({ page }) => {
  await page.goto("/admin");
  await expect(page).toHaveURL("/auth");
  await expect(page.getByRole("heading", { name: "Admin Sign In" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Back to Home" })).toHaveAttribute("href", "/");

  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password").fill("not the password");
  const rejected = page.waitForResponse((response) => response.request().method() === "POST");
  await page.getByRole("button", { name: "Sign In" }).click();
  expect((await rejected).status()).toBe(400);
  await expect(page.getByRole("alert")).toContainText("Incorrect email or password.");
  await expect(page.getByLabel("Email")).toHaveValue(ADMIN.email);
  await expectNoViolations(page);

  await page.getByLabel("Password").fill(ADMIN.password);
  const release = await holdRequests(page, "**/auth.data*");
  await page.getByRole("button", { name: "Sign In" }).click();
  await expect(page.getByRole("button", { name: "Signing In..." })).toBeDisabled();
  await release();
  await expect(page).toHaveURL("/");
  await expect(page.getByText("Signed in successfully!")).toBeVisible();
  const [session] = (await page.context().cookies()).filter(({ name }) => name === "session");
  expect(session).toMatchObject({ httpOnly: true, sameSite: "Lax", secure: false, path: "/" });

  await page.goto("/auth");
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("link", { name: "Upload", exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Sign Out" }).click();
  await expect(page.getByRole("button", { name: "Sign Out" })).toHaveCount(0);
  await page.goto("/admin");
  await expect(page).toHaveURL("/auth");
});

test("an admin signs in using only the keyboard", async ({ page }) => {
  await page.goto("/auth");
  await page.getByLabel("Email").focus();
  await page.keyboard.type(ADMIN.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(ADMIN.password);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Sign In" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/");
  const signOut = page.getByRole("button", { name: "Sign Out" });
  const onSignOut = () => signOut.evaluate((button) => button === document.activeElement);
  for (let n = 0; n < 80 && !(await onSignOut()); n++) await page.keyboard.press("Tab");
  await expect(signOut).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(signOut).toHaveCount(0);
});
