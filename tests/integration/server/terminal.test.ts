import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import bcrypt from "bcryptjs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqliteHandle } from "~db/client.server";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const PASSWORD = "a password from a terminal";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  insertUser("admin@example.com");
});
afterEach(() => site.remove());

/** Runs set-password in a terminal, and types one line at each prompt. */
async function atTerminal(...lines: string[]) {
  const setPassword = "node scripts/command.mjs set-password --email admin@example.com";
  const child = spawn("script", ["-qec", setPassword, "/dev/null"], {
    cwd: root,
    env: process.env,
  });
  let shown = "";
  let answered = 0;
  child.stdout.on("data", (chunk) => {
    shown += chunk;
    const prompts = shown.match(/(New password|Repeat password): /g)?.length ?? 0;
    for (; answered < prompts; answered += 1) child.stdin.write(lines[answered] ?? "\x03");
  });
  const [code] = await once(child, "close");
  return { code, shown };
}

const isPassword = (password: string) => {
  const hash = sqliteHandle().prepare("SELECT password_hash FROM users").pluck().get() as string;
  return bcrypt.compareSync(password, hash);
};

// `script` is part of util-linux, which is installed on every Debian system.
describe.runIf(spawnSync("script", ["--version"]).status === 0)("a password in a terminal", () => {
  it("must be entered twice, and is never shown", async () => {
    const { code, shown } = await atTerminal(`${PASSWORD}\r`, `${PASSWORD}\r`);
    expect(code).toBe(0);
    expect(shown).toContain("Changed the password of admin@example.com");
    expect(shown).not.toContain(PASSWORD);
    expect(isPassword(PASSWORD)).toBe(true);
  });

  it.each([
    [[`${PASSWORD}\r`, "another one\r"], "The passwords don't match. Nothing was changed."],
    [["short\r", "short\r"], "Use a password with at least 10 characters."],
    [[`${"é".repeat(40)}\r`, `${"é".repeat(40)}\r`], "72 bytes"],
    [["half a pass\x03"], "Canceled. Nothing was changed."],
  ])("isn't changed if %j is typed", async (lines, message) => {
    const { code, shown } = await atTerminal(...lines);
    expect(shown).toContain(message);
    expect(code).not.toBe(0);
    expect(isPassword(PASSWORD)).toBe(false);
  });
});
