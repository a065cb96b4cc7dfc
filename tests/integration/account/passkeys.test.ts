import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as account from "~/features/accounts/routes/account";
import * as accountPasskey from "~/features/accounts/routes/account-passkey";
import * as auth from "~/features/accounts/routes/auth";
import * as authPasskey from "~/features/accounts/routes/auth-passkey";
import { currentUser } from "~/features/permissions/guard.server";
import { openSession } from "~/features/permissions/session.server";
import { listActivities } from "~/platform/activity/activity.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import {
  cookiesOf,
  formRequest,
  GOOD_PASSWORD,
  insertUser,
  postForm,
} from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { Authenticator } from "./authenticator";

const SITE = "https://videos.example";
let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ PUBLIC_URL: SITE });
});
afterEach(async () => {
  vi.useRealTimers();
  await site.remove();
});

type Challenge = { challenge: string; rpId: string };

/**
 * Requests a challenge from one of the two routes. Returns the response and its cookie, together with the session
 * cookie.
 */
async function begin(
  { action }: { action: (args: never) => Promise<Response> },
  fields: Record<string, string>,
  session = "",
) {
  const headers = { Cookie: session, "Sec-Fetch-Site": "same-origin" };
  const request = formRequest("/", fields, headers);
  const response = await action({ request, params: {}, context: {} } as never);
  const challenge = (await response.json()) as Challenge & { message?: string };
  return {
    status: response.status,
    challenge,
    cookies: [session, cookiesOf(response)].filter(Boolean).join("; "),
  };
}

const post = (
  action: (args: never) => unknown,
  path: string,
  fields: Record<string, string>,
  cookies: string,
  address?: string,
) => postForm(action, path, fields, cookies, address, process.env.PUBLIC_URL);
const change = (cookies: string, fields: Record<string, string>) =>
  post(account.action, "/admin/account", fields, cookies);
const signedIn = async (userId: string) => (await openSession(userId)).split(";")[0]!;
const isSignedIn = async (Cookie: string) =>
  (await currentUser(new Request(SITE, { headers: { Cookie } }))) !== undefined;
const page = (Cookie: string) =>
  account.loader({ request: new Request(`${SITE}/x`, { headers: { Cookie } }) } as never);
const activities = async () => (await listActivities()).map(({ action }) => action);

/** Creates a signed-in account with a passkey. */
async function withPasskey(email?: string) {
  const user = insertUser(email);
  const session = await signedIn(user.id);
  const authenticator = new Authenticator(SITE);
  const add = await addTo(session, authenticator);
  expect(add).toMatchObject({ status: 302, location: "/admin/account" });
  return { ...user, session, authenticator };
}

async function addTo(session: string, authenticator: Authenticator, name = "Phone") {
  const { challenge, cookies } = await begin(
    accountPasskey,
    { purpose: "add", current: GOOD_PASSWORD },
    session,
  );
  const passkey = authenticator.create(challenge);
  return change(cookies, { intent: "passkey-add", name, passkey });
}

async function signIn(
  authenticator: Authenticator,
  faults: Parameters<Authenticator["get"]>[1] = {},
  address?: string,
) {
  const { challenge, cookies } = await begin(authPasskey, {});
  return post(
    auth.action,
    "/auth",
    { passkey: authenticator.get(challenge, faults) },
    cookies,
    address,
  );
}

/** Returns the fields and cookies of an account form that is confirmed with a passkey. */
async function confirmed(session: string, authenticator: Authenticator) {
  const { challenge, cookies } = await begin(accountPasskey, { purpose: "confirm" }, session);
  return { passkey: authenticator.get(challenge), cookies };
}

describe("a passkey", () => {
  it("signs in without a password or code", async () => {
    const { session, authenticator } = await withPasskey();
    sqliteHandle().exec("UPDATE users SET totp_secret = 'x', totp_enabled_at = '2026-01-01'");
    const response = await signIn(authenticator);
    expect(response).toMatchObject({ status: 302, location: "/" });
    expect(await isSignedIn(response.cookies)).toBe(true);
    expect(await activities()).toEqual(expect.arrayContaining(["passkey-add", "passkey-sign-in"]));
    const { passkeys, sessions } = await page(session);
    expect(passkeys).toMatchObject([{ name: "Phone", rpId: "videos.example", synced: false }]);
    expect(passkeys[0]!.lastUsedAt).toBeDefined();
    expect(sessions).toHaveLength(2);
  });

  it("can turn off the second factor without a code, but can't be added without one", async () => {
    const { session, authenticator } = await withPasskey();
    sqliteHandle().exec("UPDATE users SET totp_secret = 'x', totp_enabled_at = '2026-01-01'");
    const add = { purpose: "add", current: GOOD_PASSWORD };
    const enter = "Enter a code from your authenticator app, or a recovery code.";
    for (const [code, status, message] of [
      ["", 422, enter],
      ["000000", 400, "This code is incorrect or was already used."],
    ] as const) {
      const begun = await begin(accountPasskey, { ...add, code }, session);
      expect([begun.status, begun.challenge.message]).toEqual([status, message]);
    }
    const off = { intent: "second-factor-off" };
    expect(await change(session, { ...off, current: GOOD_PASSWORD })).toMatchObject({
      status: 422,
      message: enter,
    });
    const { cookies, passkey } = await confirmed(session, authenticator);
    expect(await change(cookies, { ...off, passkey })).toMatchObject({ status: 302 });
    expect((await page(session)).factor.enabledAt).toBeUndefined();
    expect((await begin(accountPasskey, add, session)).status).toBe(200);
  });

  it("still works after many failed attempts with unknown passkeys", async () => {
    const { authenticator } = await withPasskey();
    for (let n = 0; n < 40; n++) {
      const passkey = JSON.stringify({ id: `invented${n}`, response: {} });
      expect(await post(auth.action, "/auth", { passkey }, "")).toMatchObject({ status: 400 });
    }
    expect(await signIn(authenticator)).toMatchObject({ status: 302 });
  });

  it("is offered on the sign-in page only if any account has a passkey", async () => {
    const offered = () => auth.loader({ request: new Request(`${SITE}/auth`) } as never);
    expect(await offered()).toEqual({ passkeys: false });
    await withPasskey();
    expect(await offered()).toEqual({ passkeys: true });
  });

  it("can only be added with the password, and guesses are limited", async () => {
    const { id } = insertUser();
    const session = await signedIn(id);
    const wrong = { purpose: "add", current: "wrong" };
    for (let n = 0; n < 10; n++) {
      const { status, challenge } = await begin(accountPasskey, wrong, session);
      expect([status, challenge.message]).toEqual([400, "Your current password is incorrect."]);
    }
    const { status } = await begin(accountPasskey, { ...wrong, current: GOOD_PASSWORD }, session);
    expect(status).toBe(429);
  });

  it("can't be added with a challenge from a sign-in or from another session", async () => {
    const { id } = insertUser();
    const session = await signedIn(id);
    const anonymous = await begin(authPasskey, {}, session);
    const user = { id: "x" };
    const made = (challenge: Challenge) =>
      new Authenticator(SITE).create({ ...challenge, rp: { id: "videos.example" }, user });
    const add = (cookies: string, passkey: string) =>
      change(cookies, { intent: "passkey-add", passkey });
    expect(await add(anonymous.cookies, made(anonymous.challenge))).toMatchObject({ status: 400 });
    const mine = await begin(accountPasskey, { purpose: "add", current: GOOD_PASSWORD }, session);
    const elsewhere = mine.cookies.replace(session, await signedIn(id));
    expect(await add(elsewhere, made(mine.challenge))).toMatchObject({ status: 400 });
    expect((await page(session)).passkeys).toEqual([]);
  });

  it("is named after the device by default, and can be renamed", async () => {
    const { session, authenticator } = await withPasskey();
    await addTo(session, new Authenticator(SITE), "  ");
    const rename = (name: string) =>
      change(session, { intent: "passkey-rename", id: authenticator.id, name });
    expect(await rename(" My\n key ")).toMatchObject({ status: 302 });
    expect(await rename(" ")).toMatchObject({ status: 422 });
    expect((await page(session)).passkeys.map(({ name }) => name).sort()).toEqual([
      "My key",
      "Passkey",
    ]);
  });

  it("can be removed with the password, and can't be used afterward", async () => {
    const { session, authenticator } = await withPasskey();
    const remove = (current: string) =>
      change(session, { intent: "passkey-remove", id: authenticator.id, current });
    expect(await remove("wrong")).toMatchObject({ status: 400 });
    expect(await remove(GOOD_PASSWORD)).toMatchObject({ status: 302 });
    expect(await remove(GOOD_PASSWORD)).toMatchObject({ status: 404 });
    expect(await signIn(authenticator)).toMatchObject({
      status: 400,
      message: "Unknown passkey. It may have been removed from your account.",
    });
  });

  it("can't be renamed or removed by another user", async () => {
    const { authenticator } = await withPasskey();
    const other = await withPasskey("other@example.com");
    const fields = { id: authenticator.id, current: GOOD_PASSWORD, name: "x" };
    for (const intent of ["passkey-rename", "passkey-remove"]) {
      expect(await change(other.session, { ...fields, intent })).toMatchObject({ status: 404 });
    }
    const { cookies, passkey } = await confirmed(other.session, authenticator);
    expect(
      await change(cookies, { intent: "passkey-remove", id: other.authenticator.id, passkey }),
    ).toMatchObject({ status: 400, message: "This passkey belongs to another account." });
  });

  it("belongs to one account, which can have at most twenty passkeys", async () => {
    const { id, session, authenticator } = await withPasskey();
    expect(await addTo(session, authenticator)).toMatchObject({ status: 409 });
    const insert = sqliteHandle().prepare(
      `INSERT INTO passkeys (id, user_id, rp_id, name, public_key, counter, synced)
       VALUES (?, ?, 'videos.example', 'x', x'00', 0, 0)`,
    );
    for (let n = 0; n < 19; n++) insert.run(`k${n}`, id);
    const fields = { purpose: "add", current: GOOD_PASSWORD };
    expect(await begin(accountPasskey, fields, session)).toMatchObject({ status: 409 });
  });
});

describe("a passkey response", () => {
  it("works only once, only in the same browser, and only for ten minutes", async () => {
    const { authenticator } = await withPasskey();
    const first = await begin(authPasskey, {});
    const passkey = authenticator.get(first.challenge, { counter: 0 });
    const send = (cookies: string) => post(auth.action, "/auth", { passkey }, cookies);
    expect(await send((await begin(authPasskey, {})).cookies)).toMatchObject({ status: 400 });
    expect(await send("")).toMatchObject({
      status: 400,
      message: "The request has expired. Try again.",
    });
    expect(await send(first.cookies)).toMatchObject({ status: 302 });
    expect(await send(first.cookies)).toMatchObject({
      status: 400,
      message: "This passkey response was already used. Try again.",
    });
    const late = await begin(authPasskey, {});
    vi.useFakeTimers({ now: Date.now() + 10 * 60 * 1000 + 1, toFake: ["Date"] });
    const form = { passkey: authenticator.get(late.challenge) };
    expect(await post(auth.action, "/auth", form, late.cookies)).toMatchObject({
      status: 400,
      message: "The request has expired. Try again.",
    });
  });

  it("is rejected and recorded if its signature counter hasn't increased, as with a cloned passkey", async () => {
    const { authenticator } = await withPasskey();
    expect(await signIn(authenticator, { counter: 7 })).toMatchObject({ status: 302 });
    for (const counter of [7, 3, 0]) {
      expect(await signIn(authenticator, { counter })).toMatchObject({
        status: 400,
        message: expect.stringContaining("someone may have a copy of it"),
      });
    }
    expect((await activities()).filter((action) => action === "passkey-refused")).toHaveLength(3);
    expect(await signIn(authenticator, { counter: 8 })).toMatchObject({ status: 302 });
  });

  it.each([
    ["it was created on another site", { origin: "https://evil.example" }],
    ["it was created over HTTP", { origin: "http://videos.example" }],
    ["no fingerprint, face or PIN was checked", { isVerified: false }],
    [
      "it was signed with another key",
      { signWith: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey },
    ],
    ["it is for another account", { userHandle: Buffer.from("somebody").toString("base64url") }],
  ])("is rejected if %s", async (_, faults) => {
    const { authenticator } = await withPasskey();
    expect(await signIn(authenticator, faults)).toMatchObject({
      status: 400,
      message: "Couldn’t verify the passkey. Try again.",
    });
  });

  it.each(["", "null", "{}", '{"id":1}', '{"id":"x","response":7}', "[".repeat(3_000)])(
    "is rejected if it is malformed (%#)",
    async (passkey) => {
      const { cookies } = await begin(authPasskey, {});
      expect(await post(auth.action, "/auth", { passkey }, cookies)).toMatchObject({ status: 400 });
    },
  );

  it("is rate-limited by IP address after failures, except from known browsers", async () => {
    const { authenticator } = await withPasskey();
    const known = await signIn(authenticator, {}, "203.0.113.7");
    const unknown = new Authenticator(SITE);
    for (let n = 0; n < 10; n++) {
      expect(await signIn(unknown, {}, "203.0.113.7")).toMatchObject({ status: 400 });
    }
    expect(await signIn(authenticator, {}, "203.0.113.7")).toMatchObject({ status: 429 });
    const { challenge, cookies } = await begin(authPasskey, {}, known.cookies);
    const passkey = authenticator.get(challenge);
    expect(await post(auth.action, "/auth", { passkey }, cookies, "203.0.113.7")).toMatchObject({
      status: 302,
    });
  });

  it("is rejected if the account is deactivated", async () => {
    const { authenticator } = await withPasskey();
    sqliteHandle().exec("UPDATE users SET deactivated_at = '2026-01-01T00:00:00.000Z'");
    expect(await signIn(authenticator)).toMatchObject({ status: 400 });
  });

  it("works only on the host name for which it was created", async () => {
    const { session, authenticator } = await withPasskey();
    process.env.PUBLIC_URL = "https://other.example";
    forgetSettings();
    const { challenge, cookies } = await begin(authPasskey, {});
    expect(challenge.rpId).toBe("other.example");
    const fields = { passkey: authenticator.get(challenge) };
    expect(await post(auth.action, "/auth", fields, cookies)).toMatchObject({ status: 400 });
    expect(await page(session)).toMatchObject({
      rpId: "other.example",
      passkeys: [{ rpId: "videos.example" }],
    });
  });
});

describe("an account without a password", () => {
  async function withoutPassword() {
    const user = await withPasskey();
    const { cookies, passkey } = await confirmed(user.session, user.authenticator);
    expect(await change(cookies, { intent: "password-off", passkey })).toMatchObject({
      status: 302,
    });
    return user;
  }
  const byPassword = (password = GOOD_PASSWORD) =>
    post(auth.action, "/auth", { email: "admin@example.com", password }, "");

  it("requires a passkey when the password is removed, which ends the account's other sessions", async () => {
    const user = await withPasskey();
    const other = await signedIn(user.id);
    const off = { intent: "password-off", current: GOOD_PASSWORD };
    expect(await change(user.session, off)).toMatchObject({ status: 400 });
    expect(await byPassword()).toMatchObject({ status: 302 });
    const { cookies, passkey } = await confirmed(user.session, user.authenticator);
    expect(await change(cookies, { ...off, passkey })).toMatchObject({ status: 302 });
    expect(await byPassword()).toMatchObject({
      status: 400,
      message: "Incorrect email or password.",
    });
    expect([await isSignedIn(other), await isSignedIn(user.session)]).toEqual([false, true]);
    expect(await activities()).toContain("password-off");
    expect(await page(user.session)).toMatchObject({ hasPassword: false });
  });

  it("keeps its last passkey", async () => {
    const { session, authenticator } = await withoutPassword();
    const remove = async (by: Authenticator) => {
      const { cookies, passkey } = await confirmed(session, by);
      return change(cookies, { intent: "passkey-remove", id: authenticator.id, passkey });
    };
    expect(await remove(authenticator)).toMatchObject({
      status: 409,
      message: "This is your only way to sign in. Set a password or add another passkey first.",
    });
    // A passkey for another host name doesn't work here.
    sqliteHandle().exec(
      `INSERT INTO passkeys (id, user_id, rp_id, name, public_key, counter, synced)
       SELECT 'old', user_id, 'old.example', 'x', x'00', 0, 0 FROM passkeys`,
    );
    expect(await remove(authenticator)).toMatchObject({ status: 409 });
    expect(await signIn(authenticator)).toMatchObject({ status: 302 });

    const second = new Authenticator(SITE);
    const { cookies, passkey } = await confirmed(session, authenticator);
    const fields = { purpose: "add", passkey };
    const begun = await begin(accountPasskey, fields, cookies);
    const made = { intent: "passkey-add", passkey: second.create(begun.challenge) };
    expect(await change(`${session}; ${begun.cookies.split("; ").at(-1)}`, made)).toMatchObject({
      status: 302,
    });
    expect(await remove(second)).toMatchObject({ status: 302 });
  });

  it("can be given a password again after confirming with a passkey", async () => {
    const { session, authenticator } = await withoutPassword();
    const password = "another good password";
    const fields = { intent: "password", password, again: password };
    expect(await change(session, { ...fields, current: "" })).toMatchObject({ status: 400 });
    const { cookies, passkey } = await confirmed(session, authenticator);
    expect(await change(cookies, { ...fields, passkey })).toMatchObject({ status: 302 });
    expect(await byPassword(password)).toMatchObject({ status: 302 });
    const remove = { intent: "passkey-remove", id: authenticator.id, current: password };
    expect(await change(session, remove)).toMatchObject({ status: 302 });
  });
});

describe("passkeys", () => {
  it.each(["http://videos.example", "https://203.0.113.7", "https://[2001:db8::1]"])(
    "aren't offered if the site's URL is %s",
    async (PUBLIC_URL) => {
      const { id } = insertUser();
      const session = await signedIn(id);
      process.env.PUBLIC_URL = PUBLIC_URL;
      forgetSettings();
      expect(await page(session)).toMatchObject({ rpId: undefined });
      expect(await auth.loader({ request: new Request(SITE) } as never)).toEqual({
        passkeys: false,
      });
    },
  );
});
