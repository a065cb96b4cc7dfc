import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Ending, endAccess } from "~/features/accounts/end-access.server";
import { acceptInvitation, findInvitation, invite } from "~/features/accounts/invitations.server";
import { action as changeAccount } from "~/features/accounts/routes/account";
import { action as tokensAction } from "~/features/accounts/routes/api-tokens";
import { createToken, findToken } from "~/features/accounts/tokens/tokens.server";
import { changeRole, setDeactivated } from "~/features/accounts/user-list.server";
import { blockUser } from "~/features/accounts/users/block.server";
import { deleteAccount } from "~/features/accounts/users/delete-account.server";
import { accountNow } from "~/features/permissions/may-change.server";
import { findSession, type OpenSession, openSession } from "~/features/permissions/session.server";
import { endStreams, openStreamCount } from "~/platform/live/event-stream.server";
import { announceStudioChange } from "~/platform/live/hub.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { openEvents } from "../../event-streams";
import { formRequest, GOOD_PASSWORD, insertUser, ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

/** Tests which access each event ends (app/features/accounts/end-access.server.ts). */

let site: ReturnType<typeof useTemporarySite>;
let owner: string;
let user: string;
let here: string;
let elsewhere: string;
let token: string;
let narrow: string;
let invitation: string;

beforeEach(async () => {
  site = useTemporarySite();
  owner = insertUser("owner@example.com").id;
  user = insertUser("second@example.com").id;
  [here, elsewhere] = [await open(), await open()];
  token = await addToken("publish");
  narrow = await addToken("read");
  ({ token: invitation } = await invite("third@example.com", "owner", user));
  for (const cookie of [here, elsewhere]) listen(cookie);
});
afterEach(async () => {
  endStreams();
  await site.remove();
});

const open = async () => (await openSession(user)).split(";")[0]!;
const request = (cookie: string, path = "/events?jobs") =>
  new Request(ORIGIN + path, { headers: { Cookie: cookie } });
const listen = (cookie: string) => openEvents({ cookie });

function addToken(scope: string): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ name: scope, scope, days: "7" }))
    form.set(name, value);
  const as = { id: user, email: "second@example.com", role: "owner", mayPublish: true } as const;
  return createToken(as, form);
}

/** Returns the remaining sessions, streams, tokens and invitations. */
async function left(): Promise<string[]> {
  const found = {
    here: await findSession(request(here)),
    elsewhere: await findSession(request(elsewhere)),
    token: findToken(token),
    "narrow token": findToken(narrow),
    invitation: (await findInvitation(invitation)).state === "open",
    "old work": accountNow(user, "2020-01-01T00:00:00.000Z"),
  };
  const names = Object.entries(found).flatMap(([name, value]) => (value ? [name] : []));
  return [...names, `${openStreamCount()} streams`];
}

const ALL = ["here", "elsewhere", "token", "narrow token", "invitation", "old work", "2 streams"];
const without = (...names: string[]) => ALL.filter((name) => !names.includes(name));
const sessionOf = async (cookie: string) => (await findSession(request(cookie))) as OpenSession;

describe("an account's access", () => {
  it("exists before any of the events that end it", async () => {
    expect(await left()).toEqual(ALL);
  });

  it.each<[string, (hash: string) => Ending, string[]]>([
    [
      "sign-out",
      (session) => ({ event: "sign-out", session }),
      [...without("here", "2 streams"), "1 streams"],
    ],
    [
      "sign-out everywhere",
      () => ({ event: "sign-out-everywhere" }),
      [...without("here", "elsewhere", "2 streams"), "0 streams"],
    ],
    [
      "signing out the other sessions",
      (kept) => ({ event: "sign-out-elsewhere", kept }),
      [...without("elsewhere", "2 streams"), "1 streams"],
    ],
    [
      "a password change",
      (kept) => ({ event: "password-change", kept, tokensToo: false }),
      [...without("elsewhere", "2 streams"), "1 streams"],
    ],
    [
      "a password change that revokes the tokens",
      (kept) => ({ event: "password-change", kept, tokensToo: true }),
      [...without("elsewhere", "token", "narrow token", "2 streams"), "1 streams"],
    ],
    [
      "a password reset",
      () => ({ event: "password-reset" }),
      [...without("here", "elsewhere", "token", "narrow token", "2 streams"), "0 streams"],
    ],
  ])("ends after %s as documented", async (_, ending, expected) => {
    const { idHash } = await sessionOf(here);
    await transaction(() => endAccess(user, ending(idHash)));
    expect(await left()).toEqual(expected);
  });

  it("is reduced to what the new role allows after a role change", async () => {
    await changeRole(user, "uploader", owner);
    expect(await left()).toEqual([...without("token", "invitation", "2 streams"), "0 streams"]);
    await expect(acceptInvitation(invitation, GOOD_PASSWORD)).rejects.toMatchObject({
      status: 404,
    });
  });

  it("no longer includes tokens after a change to a role that isn't allowed to use them", async () => {
    await changeRole(user, "moderator", owner);
    expect(await left()).toEqual(["here", "elsewhere", "old work", "0 streams"]);
  });

  it("ends completely on deactivation, and isn't restored by reactivation", async () => {
    await setDeactivated(user, true, owner);
    expect(await left()).toEqual(["0 streams"]);
    await setDeactivated(user, false, owner);
    expect(await left()).toEqual(["0 streams"]);
    expect(accountNow(user, new Date(Date.now() + 1).toISOString())).toBeDefined();
  });

  it("ends completely when the user is blocked", async () => {
    await changeRole(user, "editor", owner);
    for (const cookie of [here, elsewhere]) listen(cookie);
    await blockUser(user, owner, false);
    expect(await left()).toEqual(["0 streams"]);
  });

  it("ends completely when the account is deleted, as do its preview links", async () => {
    sqliteHandle()
      .prepare(
        "INSERT INTO preview_links (token_hash, video_id, created_by, created_at) VALUES (?, 'v', ?, '')",
      )
      .run("theirs", user);
    sqliteHandle()
      .prepare(
        "INSERT INTO preview_links (token_hash, video_id, created_by, created_at) VALUES (?, 'v', ?, '')",
      )
      .run("other", owner);
    await deleteAccount(user, undefined, owner);
    expect(await left()).toEqual(["0 streams"]);
    expect(sqliteHandle().prepare("SELECT token_hash FROM preview_links").pluck().all()).toEqual([
      "other",
    ]);
  });

  it("ends before the row is deleted, so that an interrupted deletion leaves no access", async () => {
    await transaction(() => endAccess(user, { event: "deletion" }));
    expect(await left()).toEqual(["0 streams"]);
    expect(accountNow(user)).toBeUndefined();
  });

  it("doesn't end if the change is rolled back", async () => {
    const change = transaction(() => {
      endAccess(user, { event: "deactivation" });
      throw new Error("undone");
    });
    await expect(change).rejects.toThrow("undone");
    expect(await left()).toEqual([...without("2 streams"), "0 streams"]);
  });
});

describe("an event stream", () => {
  it("ends before its next private event if another process has ended the session", async () => {
    sqliteHandle().prepare("DELETE FROM sessions WHERE user_id = ?").run(user);
    expect(openStreamCount()).toBe(2);
    announceStudioChange();
    await expect.poll(() => openStreamCount()).toBe(0);
  });
});

describe("an invitation", () => {
  it("becomes void if another tool removes the user's permission to invite", async () => {
    sqliteHandle().prepare("UPDATE users SET role = 'editor' WHERE id = ?").run(user);
    expect((await findInvitation(invitation)).state).toBe("unknown");
    await expect(acceptInvitation(invitation, GOOD_PASSWORD)).rejects.toMatchObject({
      status: 404,
    });
  });

  it("isn't created if the user has lost the permission since the request was accepted", async () => {
    await changeRole(user, "editor", owner);
    await expect(invite("fourth@example.com", "owner", user)).rejects.toThrow(
      "no longer have permission to invite",
    );
  });
});

describe("the account forms", () => {
  const send = (
    action: typeof tokensAction | typeof changeAccount,
    path: string,
    fields: Record<string, string>,
  ) => action({ request: formRequest(path, fields, { Cookie: here }), params: {}, context: {} });

  it("require the password to create a token", async () => {
    const fields = { intent: "create", name: "a program", scope: "read", days: "7" };
    for (const current of [undefined, "a wrong one"]) {
      const response = await send(tokensAction, "/admin/tokens", {
        ...fields,
        ...(current && { current }),
      });
      expect(response).toMatchObject({ init: { status: 400 }, data: { token: undefined } });
    }
    const response = await send(tokensAction, "/admin/tokens", {
      ...fields,
      current: GOOD_PASSWORD,
    });
    expect((response as { token: string }).token).toMatch(/^afterdark_/);
  });

  it("revoke the tokens after a password change if requested", async () => {
    const password = "another good password";
    const fields = { intent: "password", current: GOOD_PASSWORD, password, again: password };
    await send(changeAccount, "/admin/account", { ...fields, tokens: "1" });
    expect(await left()).toEqual([
      ...without("elsewhere", "token", "narrow token", "2 streams"),
      "1 streams",
    ]);
  });
});
