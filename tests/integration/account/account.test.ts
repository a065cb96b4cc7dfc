import { TOTP } from "otpauth";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deleteOldDevices, knownDevice } from "~/features/accounts/device.server";
import * as account from "~/features/accounts/routes/account";
import * as auth from "~/features/accounts/routes/auth";
import * as code from "~/features/accounts/routes/auth-code";
import { findEnrollment, findSecondFactor } from "~/features/accounts/second-factor.server";
import { createUser } from "~/features/accounts/users.server";
import { currentUser } from "~/features/permissions/guard.server";
import { listActivities } from "~/platform/activity/activity.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { GOOD_PASSWORD, insertUser, ORIGIN, postForm } from "../../sign-in-requests";
import { TEST_SECRET, useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ PUBLIC_URL: ORIGIN });
});
afterEach(() => site.remove());

const signIn = (email = "admin@example.com", password = GOOD_PASSWORD) =>
  postForm(auth.action, "/auth", { email, password });
const change = (cookies: string, fields: Record<string, string>) =>
  postForm(account.action, "/admin/account", fields, cookies);
const isSignedIn = async (cookies: string) =>
  (await currentUser(new Request(ORIGIN, { headers: { Cookie: cookies } }))) !== undefined;
const page = (cookies: string) =>
  account.loader({
    request: new Request(`${ORIGIN}/admin/account`, { headers: { Cookie: cookies } }),
  } as never);

describe("changing the password", () => {
  const fields = {
    intent: "password",
    current: GOOD_PASSWORD,
    password: "another good password",
    again: "another good password",
  };

  it("ends the other sessions and keeps the current one", async () => {
    insertUser();
    const [here, elsewhere] = [await signIn(), await signIn()];
    expect(await change(here.cookies, fields)).toMatchObject({ location: "/admin/account" });
    expect(await isSignedIn(here.cookies)).toBe(true);
    expect(await isSignedIn(elsewhere.cookies)).toBe(false);
    expect(await signIn()).toMatchObject({ status: 400 });
    expect(await signIn(undefined, fields.password)).toMatchObject({ status: 302 });
    expect((await listActivities()).map(({ action }) => action)).toContain("password-change");
  });

  it.each([
    [
      "a wrong current password",
      { current: "wrong password" },
      400,
      "Your current password is incorrect.",
    ],
    ["new passwords that differ", { again: "another one" }, 422, "The passwords don’t match."],
    [
      "a short password",
      { password: "short", again: "short" },
      422,
      "Use a password with at least 10 characters.",
    ],
    [
      "a password that bcrypt would truncate",
      { password: "é".repeat(37), again: "é".repeat(37) },
      422,
      "The password is too long. Use at most 72 bytes.",
    ],
  ])("rejects %s and changes nothing", async (_, wrong, status, message) => {
    insertUser();
    const { cookies } = await signIn();
    expect(await change(cookies, { ...fields, ...wrong })).toMatchObject({ status, message });
    expect(await signIn()).toMatchObject({ status: 302 });
  });

  it("limits password guesses in an unattended session", async () => {
    insertUser();
    const { cookies } = await signIn();
    for (let n = 0; n < 10; n++) {
      expect(await change(cookies, { ...fields, current: "wrong" })).toMatchObject({ status: 400 });
    }
    expect(await change(cookies, fields)).toMatchObject({ status: 429 });
  });

  it("requires a session", async () => {
    await expect(change("", fields)).rejects.toMatchObject({ status: 400 });
  });
});

describe("the session list", () => {
  it("marks the current session, and allows ending one or all of the other sessions", async () => {
    insertUser();
    const [here, second, third] = [await signIn(), await signIn(), await signIn()];
    const before = await page(here.cookies);
    expect(before.sessions.map(({ current }) => current).filter(Boolean)).toEqual([true]);
    expect(before.sessions).toHaveLength(3);
    const other = before.sessions.find(({ current }) => !current)!;
    await change(here.cookies, { intent: "end-session", session: other.idHash });
    expect((await page(here.cookies)).sessions).toHaveLength(2);
    await change(here.cookies, { intent: "end-other-sessions" });
    expect((await page(here.cookies)).sessions).toHaveLength(1);
    expect([await isSignedIn(second.cookies), await isSignedIn(third.cookies)]).toEqual([
      false,
      false,
    ]);
    expect(
      await change(here.cookies, { intent: "end-session", session: other.idHash }),
    ).toMatchObject({ status: 404 });
  });

  it("can't end another user's session", async () => {
    insertUser();
    insertUser("other@example.com");
    const [mine, theirs] = [await signIn(), await signIn("other@example.com")];
    const session = (await page(theirs.cookies)).sessions[0]!.idHash;
    expect(await change(mine.cookies, { intent: "end-session", session })).toMatchObject({
      status: 404,
    });
    expect(await isSignedIn(theirs.cookies)).toBe(true);
  });
});

describe("the second factor", () => {
  /** Sets up an authenticator app by entering the key. */
  async function enroll(cookies: string, userId: string) {
    await change(cookies, { intent: "second-factor-begin", current: GOOD_PASSWORD });
    const enrollment = (await findEnrollment(userId))!;
    expect(enrollment.qrCode).toMatch(/^data:image\/svg\+xml;base64,/);
    const app = new TOTP({ secret: enrollment.key.replaceAll(" ", "") });
    // The code for the next time step is accepted too, so the test doesn't have to wait for that step.
    const at = (steps: number) => app.generate({ timestamp: Date.now() + steps * 30_000 });
    const { recoveryCodes } = await change(cookies, {
      intent: "second-factor-confirm",
      code: at(0),
    });
    return { at, codes: recoveryCodes! };
  }
  const step = (cookies: string, codeText: string) =>
    postForm(code.action, "/auth/code", { code: codeText }, cookies);

  it("requires a code after the password, and accepts each code only once", async () => {
    const { id } = insertUser();
    const { at } = await enroll((await signIn()).cookies, id);
    const half = await signIn();
    expect(half).toMatchObject({ status: 302, location: "/auth/code" });
    expect(await isSignedIn(half.cookies)).toBe(false);
    expect(await step(half.cookies, "000000x")).toMatchObject({
      status: 400,
      message: "This code is incorrect or was already used.",
    });
    const now = at(1);
    const whole = await step(half.cookies, ` ${now.slice(0, 3)} ${now.slice(3)} `);
    expect(whole).toMatchObject({ status: 302, location: "/" });
    expect(await isSignedIn(whole.cookies)).toBe(true);
    // Simulates an intercepted code that is used in another second step.
    expect(await step((await signIn()).cookies, now)).toMatchObject({ status: 400 });
  });

  it("can only be set up with the password; an open session isn't enough", async () => {
    const { id } = insertUser();
    const { cookies } = await signIn();
    for (const current of ["", "a wrong password"]) {
      expect(await change(cookies, { intent: "second-factor-begin", current })).toMatchObject({
        status: 400,
        message: "Your current password is incorrect.",
      });
    }
    expect(await findEnrollment(id)).toBeUndefined();
  });

  it("stays off until a code confirms it, and its secret is encrypted in the database", async () => {
    const { id } = insertUser();
    const { cookies } = await signIn();
    await change(cookies, { intent: "second-factor-begin", current: GOOD_PASSWORD });
    const { key } = (await findEnrollment(id))!;
    expect(await change(cookies, { intent: "second-factor-confirm", code: "abc" })).toMatchObject({
      status: 400,
    });
    expect(await signIn()).toMatchObject({ location: "/" });
    const stored = sqliteHandle().prepare("SELECT totp_secret FROM users").pluck().get() as string;
    expect(Buffer.from(stored, "base64url").toString("latin1")).not.toContain(
      key.replaceAll(" ", ""),
    );
    // The TOTP secret stays readable when the site's secret is rotated, but not when the site's secret is lost.
    process.env.SESSION_SECRET = `${"new".repeat(11)},${TEST_SECRET}`;
    forgetSettings();
    expect((await findEnrollment(id))!.key).toBe(key);
    process.env.SESSION_SECRET = "new".repeat(11);
    forgetSettings();
    expect(await findEnrollment(id)).toBeUndefined();
  });

  it("accepts each recovery code once, ignoring case", async () => {
    const { id } = insertUser();
    const { codes } = await enroll((await signIn()).cookies, id);
    expect(new Set(codes).size).toBe(10);
    expect(codes[0]).toMatch(/^([0-9a-z]{4}-){5}[0-9a-z]{4}$/);
    const typed = codes[0]!.toUpperCase().replaceAll("-", " ");
    expect(await step((await signIn()).cookies, typed)).toMatchObject({ location: "/" });
    expect(await step((await signIn()).cookies, codes[0]!)).toMatchObject({ status: 400 });
    expect((await findSecondFactor(id)).recoveryCodesLeft).toBe(9);
    const dump = sqliteHandle().prepare("SELECT code_hash FROM recovery_codes").pluck().all();
    expect(dump.join()).not.toContain(codes[1]!.replaceAll("-", ""));
    expect((await listActivities()).map(({ action }) => action)).toContain("recovery-code-use");
  });

  it("limits code guesses, whatever IP address they come from", async () => {
    const { id } = insertUser();
    const { at } = await enroll((await signIn()).cookies, id);
    const { cookies } = await signIn();
    for (let n = 0; n < 5; n++)
      expect(await step(cookies, "000000x")).toMatchObject({ status: 400 });
    expect(await step(cookies, at(1))).toMatchObject({ status: 429 });
  });

  /** Returns the device cookie from a browser's last response. */
  const markIn = ({ cookies }: { cookies: string }) =>
    cookies.split("; ").find((cookie) => cookie.startsWith("device="))!;
  const guess = async (cookies: string, times = 5) => {
    const statuses = [];
    for (let n = 0; n < times; n++) statuses.push((await step(cookies, "000000x")).status);
    return statuses;
  };
  const marks = () => sqliteHandle().prepare("SELECT count(*) FROM devices").pluck().get();

  it("gives each browser that has signed in with a code its own attempts, which strangers can't use up", async () => {
    const { id } = insertUser();
    const { codes, at } = await enroll((await signIn()).cookies, id);
    const owner = markIn(await step((await signIn()).cookies, codes[0]!));
    const stranger = await signIn();
    expect(await guess(stranger.cookies)).toEqual([400, 400, 400, 400, 400]);
    expect(await step(stranger.cookies, at(1))).toMatchObject({ status: 429 });
    const known = `${stranger.cookies}; ${owner}`;
    expect(await step(known, at(1))).toMatchObject({ status: 302, location: "/" });
    expect(await guess(known)).toEqual([400, 400, 400, 400, 400]);
    expect(await step(known, at(1))).toMatchObject({ status: 429 });
    expect((await listActivities()).map(({ action }) => action)).toContain("code-refused");
  });

  it("doesn't give separate attempts to device cookies issued before the second factor was turned on", async () => {
    const { id } = insertUser();
    const collected = [await signIn(), await signIn(), await signIn(), await signIn()].map(markIn);
    await enroll((await signIn()).cookies, id);
    const { cookies } = await signIn();
    expect(await guess(cookies)).toEqual([400, 400, 400, 400, 400]);
    for (const mark of collected) expect(await guess(`${cookies}; ${mark}`, 1)).toEqual([429]);
  });

  it("doesn't allow more attempts with several device cookies than with one", async () => {
    const { id } = insertUser();
    const { codes } = await enroll((await signIn()).cookies, id);
    const collected = [];
    for (const each of codes.slice(0, 4)) {
      collected.push(markIn(await step((await signIn()).cookies, each)));
    }
    expect(new Set(collected).size).toBe(4);
    const { cookies } = await signIn();
    const statuses = [];
    for (const mark of [...collected, ...collected]) {
      statuses.push(...(await guess(`${cookies}; ${mark}`, 1)));
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429, 429]);
  });

  it("lets the owner in with a recovery code after strangers have used up the attempts", async () => {
    const { id } = insertUser();
    const { codes } = await enroll((await signIn()).cookies, id);
    const { cookies } = await signIn();
    expect(await guess(cookies, 6)).toEqual([400, 400, 400, 400, 400, 429]);
    expect(await step(cookies, "0000-0000-0000-0000-0000-0000")).toMatchObject({ status: 429 });
    expect(await step(cookies, codes[0]!)).toMatchObject({ status: 302, location: "/" });
    expect(await step((await signIn()).cookies, codes[0]!)).toMatchObject({ status: 429 });
  });

  it("has a single limit for wrong codes and wrong recovery codes, at sign-in and on the account page", async () => {
    const { id } = insertUser();
    const { codes } = await enroll((await signIn()).cookies, id);
    const session = await step((await signIn()).cookies, codes[0]!);
    const off = { intent: "second-factor-off", current: GOOD_PASSWORD };
    for (let n = 0; n < 3; n++) {
      expect(await change(session.cookies, { ...off, code: "000000x" })).toMatchObject({
        status: 400,
        field: "code",
      });
    }
    const half = `${(await signIn()).cookies}; ${markIn(session)}`;
    const wrong = "0000-0000-0000-0000-0000-0000";
    for (const status of [400, 400, 429]) expect(await step(half, wrong)).toMatchObject({ status });
    expect(await change(session.cookies, { ...off, code: "000000" })).toMatchObject({
      status: 429,
      field: "code",
    });
    expect((await findSecondFactor(id)).enabledAt).toBeDefined();
  });

  it("voids all device cookies except the current browser's when the password or the second factor changes", async () => {
    const { id } = insertUser();
    const here = await signIn();
    const isKnown = (mark: string) =>
      knownDevice(new Request(ORIGIN, { headers: { Cookie: mark } }), id) !== undefined;
    let [mine, other] = [markIn(here), markIn(await signIn())];
    const expectVoid = (response: { cookies: string }) => {
      expect([isKnown(mine), isKnown(other)]).toEqual([false, false]);
      mine = markIn(response);
      expect(isKnown(mine)).toBe(true);
    };
    const session = here.cookies.split("; ").find((cookie) => cookie.startsWith("session="))!;
    const cookies = () => `${session}; ${mine}`;
    const [password, current] = ["another good password", GOOD_PASSWORD];
    expect([isKnown(mine), isKnown(other)]).toEqual([true, true]);
    expectVoid(await change(cookies(), { intent: "password", current, password, again: password }));
    other = markIn(await signIn(undefined, password));

    await change(cookies(), { intent: "second-factor-begin", current: password });
    const { key } = (await findEnrollment(id))!;
    const app = new TOTP({ secret: key.replaceAll(" ", "") });
    const on = await change(cookies(), { intent: "second-factor-confirm", code: app.generate() });
    expectVoid(on);
    const half = await signIn(undefined, password);
    other = markIn(await step(half.cookies, on.recoveryCodes![0]!));

    const off = { intent: "second-factor-off", current: password, code: on.recoveryCodes![1]! };
    expectVoid(await change(cookies(), off));
    other = markIn(await signIn(undefined, password));
    sqliteHandle().exec("UPDATE users SET deactivated_at = '2026-01-01'");
    expect([isKnown(mine), isKnown(other)]).toEqual([false, false]);
  });

  it("keeps at most ten device cookies per account, and one per browser", async () => {
    const { id } = insertUser();
    const isKnown = (mark: string) =>
      knownDevice(new Request(ORIGIN, { headers: { Cookie: mark } }), id) !== undefined;
    const first = await signIn();
    const all = [markIn(first)];
    for (let n = 0; n < 3; n++) {
      const again = await postForm(
        auth.action,
        "/auth",
        { email: "admin@example.com", password: GOOD_PASSWORD },
        markIn(first),
      );
      expect(isKnown(markIn(again))).toBe(true);
    }
    expect(marks()).toBe(1);
    for (let n = 0; n < 10; n++) {
      sqliteHandle().exec("UPDATE devices SET used_at = '2026-01-01' || used_at");
      all.push(markIn(await signIn()));
    }
    expect(marks()).toBe(10);
    expect(all.map(isKnown)).toEqual([false, ...Array(10).fill(true)]);
    expect(isKnown(`device=${Buffer.from(`${id} forged mark`).toString("base64url")}.x`)).toBe(
      false,
    );
    await deleteOldDevices(Date.now() + 401 * 86_400_000);
    expect(marks()).toBe(0);
  });

  it("rejects the second step after five minutes, after a password change, and without a first step", async () => {
    const { id } = insertUser();
    const { cookies } = await signIn();
    const { at } = await enroll(cookies, id);
    const half = await signIn();
    await change(cookies, {
      intent: "password",
      current: GOOD_PASSWORD,
      password: "another good password",
      again: "another good password",
    });
    await expect(step(half.cookies, at(1))).rejects.toMatchObject({ status: 302 });
    await expect(step("", at(1))).rejects.toMatchObject({ status: 302 });
    await expect(
      code.loader({ request: new Request(`${ORIGIN}/auth/code`) } as never),
    ).rejects.toMatchObject({ status: 302 });
  });

  it("requires the password and a code when a user turns it off or renews the recovery codes", async () => {
    const { id } = insertUser();
    const { cookies } = await signIn();
    const { codes, at } = await enroll(cookies, id);
    const current = GOOD_PASSWORD;
    for (const intent of ["recovery-codes", "second-factor-off"]) {
      expect(await change(cookies, { intent, current: "wrong", code: at(1) })).toMatchObject({
        status: 400,
        field: undefined,
      });
      expect(await change(cookies, { intent, current })).toMatchObject({
        status: 422,
        message: "Enter a code from your authenticator app, or a recovery code.",
        field: "code",
      });
      expect(await change(cookies, { intent, current, code: "000000x" })).toMatchObject({
        status: 400,
        field: "code",
      });
    }
    const renewed = await change(cookies, { intent: "recovery-codes", current, code: at(1) });
    expect(renewed.recoveryCodes).toHaveLength(10);
    expect(await step((await signIn()).cookies, codes[0]!)).toMatchObject({ status: 400 });
    const off = { intent: "second-factor-off", current };
    expect(await change(cookies, { ...off, code: at(1) })).toMatchObject({ status: 400 });
    const [code = ""] = renewed.recoveryCodes!;
    expect(await change(cookies, { ...off, code })).toMatchObject({ status: 302 });
    expect(await findSecondFactor(id)).toEqual({ enabledAt: undefined, recoveryCodesLeft: 0 });
    expect(await signIn()).toMatchObject({ location: "/" });
  });

  it("rejects unknown intents", async () => {
    insertUser();
    const { cookies } = await signIn();
    expect(await change(cookies, { intent: "explode" })).toMatchObject({ status: 400 });
  });
});

describe("an account change that the activity log can't record", () => {
  /** Returns the account's state. Resets the last TOTP step, because a code is used up even if the change fails. */
  const state = () => {
    sqliteHandle().exec("UPDATE users SET totp_last_step = NULL");
    return ["users", "sessions", "recovery_codes"].map((table) =>
      sqliteHandle().prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all(),
    );
  };

  it("is rolled back", async () => {
    const { id } = insertUser();
    const { cookies } = await signIn();
    await signIn();
    await change(cookies, { intent: "second-factor-begin", current: GOOD_PASSWORD });
    const { key } = (await findEnrollment(id))!;
    const app = new TOTP({ secret: key.replaceAll(" ", "") });
    const confirm = () => ({ intent: "second-factor-confirm", code: app.generate() });
    const other = (await page(cookies)).sessions.find(({ current }) => !current)!.idHash;
    const password = "another good password";
    const current = GOOD_PASSWORD;
    const full =
      "CREATE TRIGGER full BEFORE INSERT ON activities BEGIN SELECT RAISE(ABORT, 'full'); END";
    const expectUnchanged = async (fields: Record<string, string>) => {
      const before = state();
      sqliteHandle().exec(full);
      await expect(change(cookies, fields), fields.intent).rejects.toThrow("full");
      sqliteHandle().exec("DROP TRIGGER full");
      expect(state(), fields.intent).toEqual(before);
    };
    await expectUnchanged(confirm());
    await change(cookies, confirm());
    const changes: Record<string, string>[] = [
      { intent: "password", current, password, again: password },
      { intent: "end-session", session: other },
      { intent: "end-other-sessions" },
      { intent: "recovery-codes", current, code: app.generate() },
      { intent: "second-factor-off", current, code: app.generate() },
    ];
    for (const fields of changes) await expectUnchanged(fields);
    await expect(async () => {
      sqliteHandle().exec(full);
      await createUser("second@example.com", password);
    }).rejects.toThrow("full");
    expect(sqliteHandle().prepare("SELECT count(*) FROM users").pluck().get()).toBe(1);
  });
});
