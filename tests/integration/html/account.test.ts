import { TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { signInTo } from "../../site-client";
import { ADMIN, SiteProcess } from "../../site-process";
import { HtmlVisitor, textOf } from "./html-visitor";

const site = new SiteProcess();
let visitor: HtmlVisitor;
beforeAll(() => site.start());
afterAll(() => site.remove());
beforeEach(() => {
  visitor = new HtmlVisitor(site);
});

async function signIn(password = ADMIN.password): Promise<void> {
  await visitor.open("/auth");
  visitor.fill("Email", ADMIN.email);
  visitor.fill("Password", password);
  await visitor.press("Sign In");
}

it("signs an admin in and out", async () => {
  await signIn("not the password");
  expect(visitor.text).toContain("Incorrect email or password.");
  expect(visitor.field("Email").value).toBe(ADMIN.email);
  visitor.fill("Password", ADMIN.password);
  await visitor.press("Sign In");
  expect(visitor.address).toBe("/");
  expect(visitor.text).toContain("Signed in successfully!");
  await visitor.reload();
  expect(visitor.text).not.toContain("Signed in successfully!");
  await visitor.press("Sign Out");
  expect(visitor.address).toBe("/");
  expect(visitor.in().queryByRole("button", { name: "Sign Out" })).toBeNull();
});

it("ends the other sessions when the password is changed", async () => {
  const hash = site.database().prepare("SELECT password_hash FROM users").pluck().get();
  await visitor.setCookie(await signInTo(site));
  const other = new HtmlVisitor(site);
  await other.setCookie(await signInTo(site));
  await other.open("/admin");
  expect(other.address).toBe("/admin");
  await visitor.open("/admin/account");
  const form = visitor.field("Repeat new password").form!;
  const [password] = visitor.in(form).getAllByLabelText<HTMLInputElement>(/^New password/);
  visitor.fill("Current password", ADMIN.password, form);
  password!.value = "another good password";
  visitor.fill("Repeat new password", "another good password", form);
  await visitor.press("Change password");
  expect(visitor.text).toContain("Password changed.");
  expect(visitor.field("Current password").value).toBe("");
  await other.open("/admin");
  expect(other.address).toBe("/auth");
  await visitor.open("/admin");
  expect(visitor.address).toBe("/admin");
  site.database().prepare("UPDATE users SET password_hash = ?").run(hash);
});

it("deletes an account and transfers its videos to the owner who deletes it", async () => {
  const database = site.database();
  database.exec(`
    INSERT INTO users (id, email, password_hash, role) VALUES ('left', 'left@example.com', '', 'uploader');
    INSERT INTO videos (id, title, category, uploaded_by) VALUES ('theirs', 'A walk', 'desi', 'left')`);
  await visitor.setCookie(await signInTo(site));
  await visitor.open("/admin/users");
  await visitor.follow("Delete account left@example.com");
  expect(visitor.text).toContain("Delete this account?");
  visitor.fill("Your password", "a wrong one");
  await visitor.press("Delete account");
  expect(visitor.text).toContain("Your current password is incorrect.");
  visitor.fill("Your password", ADMIN.password);
  await visitor.press("Delete account");
  expect(visitor.address).toBe("/admin/users");
  expect(visitor.text).toContain(`left@example.com was deleted. ${ADMIN.email} received 1 video.`);
  const owner = database.prepare("SELECT id FROM users").pluck().all();
  expect(database.prepare("SELECT uploaded_by FROM videos").pluck().all()).toEqual(owner);
});

it("sets an uploader's limits, and shows an error for an invalid value", async () => {
  site
    .database()
    .exec(
      "INSERT INTO users (id, email, password_hash, role) VALUES ('up', 'up@example.com', '', 'uploader')",
    );
  await visitor.setCookie(await signInTo(site));
  await visitor.open("/admin/users");
  visitor.fill("Storage in GB", "lots");
  await visitor.press("Save limits of up@example.com");
  expect(visitor.text).toContain("Enter the storage limit in gigabytes");
  expect(visitor.field("Storage in GB").value).toBe("lots");
  visitor.fill("Storage in GB", "5");
  await visitor.press("Save limits of up@example.com");
  expect(visitor.text).toContain("up@example.com has new upload limits.");
  expect(visitor.field("Storage in GB").value).toBe("5");
  site.database().exec("DELETE FROM users WHERE id = 'up'");
});

it("renames a passkey, and removes it after the current password is entered", async () => {
  site.database().exec(
    `INSERT INTO passkeys (id, user_id, rp_id, name, public_key, counter, synced)
     SELECT 'one', id, 'localhost', 'Phone', x'00', 0, 1 FROM users`,
  );
  await visitor.setCookie(await signInTo(site));
  await visitor.open("/admin/account");
  const passkeys = () => visitor.in().getByRole("region", { name: "Passkeys" });
  const name = visitor.in(passkeys()).getAllByLabelText<HTMLInputElement>(/Name/)[0]!;
  name.value = "Tablet";
  await visitor.press("Rename");
  expect(visitor.text).toContain("Passkey renamed.");
  const password = visitor.in(passkeys()).getAllByLabelText(/Current password/)[0]!;
  (password as HTMLInputElement).value = ADMIN.password;
  await visitor.press("Remove the passkey Tablet");
  expect(visitor.text).toContain("Passkey removed.");
  expect(visitor.text).not.toContain("Rename or remove");
});

it("invites an uploader, shows them only their own drafts, and deactivates their account", async () => {
  const email = "new@example.com";
  site.addVideo({ title: "Another's video" });
  await visitor.setCookie(await signInTo(site));
  await visitor.open("/admin/users");
  visitor.fill("Email", email);
  visitor.fill("Role", "Uploader (drafts only)");
  await visitor.press("Invite user");
  const link = visitor.field("Invitation link").value;

  const guest = new HtmlVisitor(site);
  await guest.open(link);
  expect(guest.text).toContain("as an uploader (drafts only)");
  const [password] = guest.in().getAllByLabelText<HTMLInputElement>(/^Password/);
  password!.value = "a password of my own";
  guest.fill("Repeat password", "a password of my own");
  await guest.press("Create account");
  expect(guest.address).toBe("/");
  const id = site.database().prepare("SELECT id FROM users WHERE email = ?").pluck().get(email);
  site.addVideo({ title: "My draft", uploaded_by: String(id), status: "review" });
  await guest.open("/admin?tab=manage");
  expect(guest.text).toContain("1 video");
  expect(guest.text).not.toContain("Another's video");
  guest.in().getByRole("link", { name: "Edit My draft" });
  expect(guest.in().queryByRole("button", { name: "Show My draft" })).toBeNull();
  expect(guest.in().queryByRole("link", { name: "Users" })).toBeNull();
  await guest.open("/admin");
  guest.in().getByRole("button", { name: "Save as Draft" });
  expect(guest.in().queryByRole("button", { name: "Upload Video" })).toBeNull();

  await visitor.open("/admin/users");
  await visitor.press(`Deactivate ${email}`);
  expect(visitor.text).toContain(`${email} can no longer sign in.`);
  expect(visitor.in().queryByRole("button", { name: `Deactivate ${ADMIN.email}` })).toBeNull();
  await guest.open("/admin?tab=manage");
  expect(guest.address).toBe("/auth");
  await guest.open(link);
  expect(guest.text).toContain("This invitation has already been used.");
});

it("sets up two-factor authentication and signs in with it", async () => {
  await visitor.setCookie(await signInTo(site));
  await visitor.open("/admin/account");
  const panel = visitor.in().getByRole("region", { name: "Two-factor authentication" });
  visitor.fill("Your password", ADMIN.password, panel);
  await visitor.press("Set up authenticator app");
  visitor.in().getByRole("img", { name: "QR code for an authenticator app" });
  const key = textOf(visitor.document.querySelector("p.font-mono")!);
  const app = new TOTP({ secret: key.replace(/\s/g, "") });
  visitor.fill("Code from the app", app.generate());
  await visitor.press("Turn on");
  visitor.in().getByRole("heading", { name: "Your recovery codes" });
  expect(visitor.text).toContain("10 recovery codes left.");
  const [recovery = "", another = ""] = [
    ...visitor.document.querySelectorAll("ul.font-mono li"),
  ].map(textOf);

  await visitor.clearCookies();
  await signIn();
  expect(visitor.address).toBe("/auth/code");
  visitor.fill("Code", "000000");
  await visitor.press("Sign In");
  expect(visitor.text).toContain("This code is incorrect or was already used.");
  visitor.fill("Code", recovery);
  await visitor.press("Sign In");
  expect(visitor.address).toBe("/");
  expect(visitor.text).toContain("Signed in successfully!");

  await visitor.open("/admin/account");
  const turnOff = async (code: string) => {
    const form = visitor.in().getByRole("region", { name: "Two-factor authentication" });
    visitor.fill("Current password", ADMIN.password, form);
    visitor.fill("Code", code, form);
    await visitor.press("Turn off");
  };
  await turnOff("000000");
  expect(visitor.text).toContain("This code is incorrect or was already used.");
  await turnOff(another);
  expect(visitor.text).toContain("Two-factor authentication turned off.");
});
