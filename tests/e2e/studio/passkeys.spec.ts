import type { Page, Route } from "playwright/test";
import { ADMIN, expect, OTHER_SITE, signIn, test } from "../site";

// These tests use a separate site, because failed sign-ins count against the IP address that all tests share.
test.use({
  siteEnvironment: OTHER_SITE,
  // Passkeys need a host name, not 127.0.0.1.
  baseURL: ({ siteProcess }, use) => use(siteProcess.url.replace("127.0.0.1", "localhost")),
});

test.beforeEach(({ site }) => {
  site.database().exec("DELETE FROM sessions; DELETE FROM passkeys");
});

/** Adds a virtual authenticator whose user is always verified. */
async function addDevice(page: Page) {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("WebAuthn.enable");
  await protocol.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  return protocol;
}

test("an admin signs in with only a passkey, and can't remove the last one", async ({
  page,
  site,
}) => {
  const before = site.database().prepare("SELECT password_hash FROM users").pluck().get();
  await signIn(page);
  const device = await addDevice(page);
  await page.goto("/admin/account");
  const passkeys = page.getByRole("region", { name: "Passkeys" });
  const add = async (password?: string) => {
    await passkeys.getByLabel("Name of the new passkey").fill("Phone");
    if (password) await passkeys.getByLabel("Current password").last().fill(password);
    await passkeys.getByRole("button", { name: "Add passkey" }).click();
  };
  await add("not the password");
  await expect(passkeys.getByText("Your current password is incorrect.")).toBeVisible();
  await add(ADMIN.password);
  await expect(page.getByText("Passkey added. You can now sign in with it.")).toBeVisible();
  await expect(passkeys.getByText("Phone", { exact: false }).first()).toBeVisible();
  await add(ADMIN.password);
  await expect(
    passkeys.getByText("This device already has a passkey for this account."),
  ).toBeVisible();
  await passkeys.getByRole("button", { name: "Turn off password" }).click();
  await expect(page.getByText("Password turned off.")).toBeVisible();

  await page.context().clearCookies();
  // Without a challenge, the browser doesn't suggest the passkey. This virtual device would accept the suggestion
  // before the button is pressed.
  let suggestions = 0;
  const withoutChallenge = (route: Route) => {
    suggestions += 1;
    return route.abort();
  };
  await page.route("**/auth/passkey", withoutChallenge);
  await page.goto("/auth");
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password").fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("Incorrect email or password.");
  // One request was sent when the page was opened and one after the failure.
  await expect.poll(() => suggestions).toBe(2);
  await page.unroute("**/auth/passkey", withoutChallenge);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page).toHaveURL("/");
  await expect(page.getByText("Signed in successfully!")).toBeVisible();

  await page.goto("/admin/account");
  await passkeys.getByText("Rename or remove").click();
  await passkeys.getByRole("button", { name: "Remove the passkey Phone" }).click();
  await expect(
    passkeys.getByText("This is your only way to sign in.", { exact: false }),
  ).toBeVisible();

  // The browser itself suggests the passkey below the field.
  await page.context().clearCookies();
  await page.goto("/auth");
  await expect(page).toHaveURL("/");
  await expect(page.getByText("Signed in successfully!")).toBeVisible();
  await device.detach();
  site.database().prepare("UPDATE users SET password_hash = ?").run(before);
});
