import { TOTP } from "otpauth";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listActivities } from "~/account/activity.server";
import { currentUser } from "~/account/guard.server";
import { findEnrolment, findSecondFactor } from "~/account/second-factor.server";
import { createUser } from "~/account/users.server";
import * as account from "~/routes/account";
import * as auth from "~/routes/auth";
import * as code from "~/routes/auth-code";
import { forgetSettings } from "~/server/settings.server";
import { sqliteHandle } from "~db/client.server";
import { GOOD_PASSWORD, makeUser, ORIGIN, postForm } from "../../sign-in-requests";
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

  it("signs the other sessions out and keeps this one", async () => {
    makeUser();
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
      "a wrong current one",
      { current: "wrong password" },
      400,
      "Your current password is not right.",
    ],
    ["two that differ", { again: "another one" }, 422, "The new passwords differ."],
    [
      "a short one",
      { password: "short", again: "short" },
      422,
      "A password needs at least 10 characters.",
    ],
    [
      "one that bcrypt would cut",
      { password: "é".repeat(37), again: "é".repeat(37) },
      422,
      "A password may have at most 72 bytes.",
    ],
  ])("refuses %s and changes nothing", async (_, wrong, status, message) => {
    makeUser();
    const { cookies } = await signIn();
    expect(await change(cookies, { ...fields, ...wrong })).toMatchObject({ status, message });
    expect(await signIn()).toMatchObject({ status: 302 });
  });

  it("cannot be guessed on from an unlocked screen", async () => {
    makeUser();
    const { cookies } = await signIn();
    for (let n = 0; n < 10; n++) {
      expect(await change(cookies, { ...fields, current: "wrong" })).toMatchObject({ status: 400 });
    }
    expect(await change(cookies, fields)).toMatchObject({ status: 429 });
  });

  it("is for who is signed in", async () => {
    await expect(change("", fields)).rejects.toMatchObject({ status: 400 });
  });
});

describe("the list of sessions", () => {
  it("marks this one, and ends another or all others", async () => {
    makeUser();
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

  it("does not reach another user's session", async () => {
    makeUser();
    makeUser("other@example.com");
    const [mine, theirs] = [await signIn(), await signIn("other@example.com")];
    const session = (await page(theirs.cookies)).sessions[0]!.idHash;
    expect(await change(mine.cookies, { intent: "end-session", session })).toMatchObject({
      status: 404,
    });
    expect(await isSignedIn(theirs.cookies)).toBe(true);
  });
});

describe("the second factor", () => {
  /** An authenticator app, set up by typing the key. */
  async function enrol(cookies: string, userId: string) {
    await change(cookies, { intent: "second-factor-begin", current: GOOD_PASSWORD });
    const enrolment = (await findEnrolment(userId))!;
    expect(enrolment.qrCode).toMatch(/^data:image\/svg\+xml;base64,/);
    const app = new TOTP({ secret: enrolment.key.replaceAll(" ", "") });
    // The code of the next step is taken too, so what follows need not wait for it.
    const at = (steps: number) => app.generate({ timestamp: Date.now() + steps * 30_000 });
    const { recoveryCodes } = await change(cookies, {
      intent: "second-factor-confirm",
      code: at(0),
    });
    return { at, codes: recoveryCodes! };
  }
  const step = (cookies: string, codeText: string) =>
    postForm(code.action, "/auth/code", { code: codeText }, cookies);

  it("asks for a code after the password, once", async () => {
    const { id } = makeUser();
    const { at } = await enrol((await signIn()).cookies, id);
    const half = await signIn();
    expect(half).toMatchObject({ status: 302, location: "/auth/code" });
    expect(await isSignedIn(half.cookies)).toBe(false);
    expect(await step(half.cookies, "000000x")).toMatchObject({
      status: 400,
      message: "That code is not right, or it was used before.",
    });
    const now = at(1);
    const whole = await step(half.cookies, ` ${now.slice(0, 3)} ${now.slice(3)} `);
    expect(whole).toMatchObject({ status: 302, location: "/" });
    expect(await isSignedIn(whole.cookies)).toBe(true);
    // Overheard and used again, in a step of its own.
    expect(await step((await signIn()).cookies, now)).toMatchObject({ status: 400 });
  });

  it("is set up by whoever knows the password alone, not by who finds the browser open", async () => {
    const { id } = makeUser();
    const { cookies } = await signIn();
    for (const current of ["", "a wrong password"]) {
      expect(await change(cookies, { intent: "second-factor-begin", current })).toMatchObject({
        status: 400,
        message: "Your current password is not right.",
      });
    }
    expect(await findEnrolment(id)).toBeUndefined();
  });

  it("is not on before a code is confirmed, and its secret is encrypted", async () => {
    const { id } = makeUser();
    const { cookies } = await signIn();
    await change(cookies, { intent: "second-factor-begin", current: GOOD_PASSWORD });
    const { key } = (await findEnrolment(id))!;
    expect(await change(cookies, { intent: "second-factor-confirm", code: "abc" })).toMatchObject({
      status: 400,
    });
    expect(await signIn()).toMatchObject({ location: "/" });
    const stored = sqliteHandle().prepare("SELECT totp_secret FROM users").pluck().get() as string;
    expect(Buffer.from(stored, "base64url").toString("latin1")).not.toContain(
      key.replaceAll(" ", ""),
    );
    // A rotated secret still reads it; a lost one does not.
    process.env.SESSION_SECRET = `${"new".repeat(11)},${TEST_SECRET}`;
    forgetSettings();
    expect((await findEnrolment(id))!.key).toBe(key);
    process.env.SESSION_SECRET = "new".repeat(11);
    forgetSettings();
    expect(await findEnrolment(id)).toBeUndefined();
  });

  it("takes each recovery code once, in whatever case it is typed", async () => {
    const { id } = makeUser();
    const { codes } = await enrol((await signIn()).cookies, id);
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

  it("stops the guessing of codes, whatever address it comes from", async () => {
    const { id } = makeUser();
    const { at } = await enrol((await signIn()).cookies, id);
    const { cookies } = await signIn();
    for (let n = 0; n < 5; n++)
      expect(await step(cookies, "000000x")).toMatchObject({ status: 400 });
    expect(await step(cookies, at(1))).toMatchObject({ status: 429 });
  });

  it("does not lock out a browser that was in, when a stranger has used up the codes", async () => {
    const { id } = makeUser();
    const first = await signIn();
    const { at } = await enrol(first.cookies, id);
    const device = first.cookies.split("; ").find((cookie) => cookie.startsWith("device="))!;
    const stranger = await signIn();
    for (let n = 0; n < 5; n++) await step(stranger.cookies, "000000");
    expect(await step(stranger.cookies, at(1))).toMatchObject({ status: 429 });
    const known = `${stranger.cookies}; ${device}`;
    expect(await step(known, at(1))).toMatchObject({ status: 302, location: "/" });
    // It has a limit too, of its own.
    for (let n = 0; n < 5; n++) await step(known, "000000");
    expect(await step(known, at(1))).toMatchObject({ status: 429 });
  });

  it("takes no step of five minutes ago, of an old password, or of nobody", async () => {
    const { id } = makeUser();
    const { cookies } = await signIn();
    const { at } = await enrol(cookies, id);
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

  it("is turned off, and its codes renewed, with the password", async () => {
    const { id } = makeUser();
    const { cookies } = await signIn();
    const { codes } = await enrol(cookies, id);
    for (const intent of ["recovery-codes", "second-factor-off"]) {
      expect(await change(cookies, { intent, current: "wrong" })).toMatchObject({ status: 400 });
    }
    const renewed = await change(cookies, { intent: "recovery-codes", current: GOOD_PASSWORD });
    expect(renewed.recoveryCodes).toHaveLength(10);
    expect(await step((await signIn()).cookies, codes[0]!)).toMatchObject({ status: 400 });
    await change(cookies, { intent: "second-factor-off", current: GOOD_PASSWORD });
    expect(await findSecondFactor(id)).toEqual({ enabledAt: undefined, recoveryCodesLeft: 0 });
    expect(await signIn()).toMatchObject({ location: "/" });
  });

  it("does not know other intents", async () => {
    makeUser();
    const { cookies } = await signIn();
    expect(await change(cookies, { intent: "explode" })).toMatchObject({ status: 400 });
  });
});

describe("a change that the activity log cannot record", () => {
  const state = () =>
    ["users", "sessions", "recovery_codes"].map((table) =>
      sqliteHandle().prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all(),
    );

  it("leaves the account unchanged", async () => {
    const { id } = makeUser();
    const { cookies } = await signIn();
    await signIn();
    await change(cookies, { intent: "second-factor-begin", current: GOOD_PASSWORD });
    const { key } = (await findEnrolment(id))!;
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
      { intent: "recovery-codes", current },
      { intent: "second-factor-off", current },
    ];
    for (const fields of changes) await expectUnchanged(fields);
    await expect(async () => {
      sqliteHandle().exec(full);
      await createUser("second@example.com", password);
    }).rejects.toThrow("full");
    expect(sqliteHandle().prepare("SELECT count(*) FROM users").pluck().get()).toBe(1);
  });
});
