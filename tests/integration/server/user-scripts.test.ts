import { fileURLToPath } from "node:url";
import bcrypt from "bcryptjs";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqliteHandle } from "~db/client.server";
import { command } from "../../command";
import { GOOD_PASSWORD, insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

const root = fileURLToPath(new URL("../../..", import.meta.url));

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

/** Runs a command without npm. */
const script = (name: string, args: string[], input = "") =>
  execa(process.execPath, command(name, ...args), {
    cwd: root,
    input,
    reject: false,
    env: { ...process.env },
  });

const hashOf = (email: string) =>
  sqliteHandle()
    .prepare("SELECT password_hash FROM users WHERE email = ?")
    .pluck()
    .get(email) as string;

describe("create-user", () => {
  it("reads the email address and the password from standard input", async () => {
    const { exitCode, stdout } = await script(
      "create-user",
      [],
      `new@example.com\n${GOOD_PASSWORD}\n`,
    );
    expect([exitCode, stdout]).toEqual([0, "Created an account for new@example.com."]);
    expect(bcrypt.getRounds(hashOf("new@example.com"))).toBe(12);
    expect(bcrypt.compareSync(GOOD_PASSWORD, hashOf("new@example.com"))).toBe(true);
  });

  it("generates a password on request", async () => {
    const { stdout } = await script("create-user", ["--email", "new@example.com", "--generate"]);
    const password = /^Password: (\S{20})$/m.exec(stdout)![1]!;
    expect(bcrypt.compareSync(password, hashOf("NEW@example.com"))).toBe(true);
  });

  it.each([
    [["--email", "TAKEN@example.com"], `${GOOD_PASSWORD}\n`, 1, "already has an account."],
    [["--email", "nobody"], `${GOOD_PASSWORD}\n`, 1, "“nobody” is not a valid email address."],
    [["--email", "a@b.c"], "short\n", 1, "Use a password with at least 10 characters."],
    [["--email", "a@b.c"], "", 2, "Standard input ended before this prompt: New password"],
    [["--mail", "a@b.c"], "", 2, "Unknown option '--mail'"],
  ])("reports errors in %j", async (args, input, code, message) => {
    insertUser("taken@example.com");
    const { exitCode, stderr } = await script("create-user", args, input);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
    expect(exitCode).toBe(code);
  });
});

describe("set-password", () => {
  it("changes the password, ends the sessions and can remove the second factor", async () => {
    const { id } = insertUser();
    sqliteHandle().exec(`
      INSERT INTO sessions (id_hash, user_id, expires_at) VALUES ('x', '${id}', '2999-01-01');
      UPDATE users SET totp_secret = 'x', totp_enabled_at = '2020-01-01'`);
    const args = ["--email", "Admin@example.com", "--remove-second-factor"];
    const { exitCode, stdout } = await script("set-password", args, "another good password\n");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Changed the password of admin@example.com");
    expect(bcrypt.compareSync("another good password", hashOf("admin@example.com"))).toBe(true);
    expect(sqliteHandle().prepare("SELECT count(*) FROM sessions").pluck().get()).toBe(0);
    expect(sqliteHandle().prepare("SELECT totp_enabled_at FROM users").pluck().get()).toBeNull();
  });

  it("reports an unknown account", async () => {
    const { exitCode, stderr } = await script("set-password", ["--email", "no@b.c"], "");
    expect([exitCode, stderr]).toEqual([1, "There is no account for no@b.c."]);
  });
});

describe("delete-user", () => {
  it("deletes an account and transfers its videos", async () => {
    const { id } = insertUser("left@example.com");
    const receiver = insertUser("here@example.com").id;
    sqliteHandle()
      .prepare("INSERT INTO videos (id, title, category, uploaded_by) VALUES ('v', 'A', 'desi', ?)")
      .run(id);
    const args = ["--email", "Left@example.com"];
    const rejected = await script("delete-user", args);
    expect([rejected.exitCode, rejected.stderr]).toEqual([
      1,
      "Choose an account to receive this account’s videos.",
    ]);
    const done = await script("delete-user", [...args, "--transfer-to", "here@example.com"]);
    expect([done.exitCode, done.stdout.split("\n")]).toEqual([
      0,
      ["Deleted the account left@example.com.", "Transferred 1 video to here@example.com."],
    ]);
    expect(sqliteHandle().prepare("SELECT email FROM users").pluck().all()).toEqual([
      "here@example.com",
    ]);
    expect(sqliteHandle().prepare("SELECT uploaded_by FROM videos").pluck().get()).toBe(receiver);
    const last = await script("delete-user", ["--email", "here@example.com"]);
    expect([last.exitCode, last.stderr]).toEqual([
      1,
      "This is the last owner. Make another user an owner first.",
    ]);
  });
});
