import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acceptInvitation, invite } from "~/features/accounts/invitations.server";
import { columnsOf, ROLE_CHOICES, ROLE_NOUNS } from "~/features/accounts/role-choices";
import { action as signIn } from "~/features/accounts/routes/auth";
import {
  action as accept,
  headers as inviteHeaders,
  loader as open,
} from "~/features/accounts/routes/invite";
import { action, headers, loader } from "~/features/accounts/routes/users";
import { changeRole, LAST_OWNER, setDeactivated } from "~/features/accounts/user-list.server";
import type { UsersFailure } from "~/features/accounts/users/users-action.server";
import { currentUser } from "~/features/permissions/guard.server";
import { openSession } from "~/features/permissions/session.server";
import { listActivities } from "~/platform/activity/activity.server";
import { activityMessage } from "~/platform/activity/activity-labels";
import { openStreamCount } from "~/platform/live/event-stream.server";
import { sqliteHandle } from "~db/client.server";
import { openEvents } from "../../event-streams";
import { cookiesOf, formRequest, GOOD_PASSWORD, insertUser, ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

const HOURS = 60 * 60 * 1000;

let site: ReturnType<typeof useTemporarySite>;
let owner: ReturnType<typeof insertUser>;
let cookie: string;
beforeEach(async () => {
  site = useTemporarySite();
  owner = insertUser("owner@example.com");
  cookie = (await openSession(owner.id)).split(";")[0]!;
});
afterEach(() => site.remove());

interface Plain {
  status: number;
  data: Record<string, unknown>;
}

/** Returns the status and data of a loader or action. */
async function resultOf(work: () => Promise<unknown>): Promise<Response | Plain> {
  const result = await work().catch((thrown: unknown) => thrown);
  if (result instanceof Response) return result;
  const { data, init } = result as { data?: Plain["data"]; init?: { status?: number } | null };
  return { status: init?.status ?? 200, data: data ?? (result as Plain["data"]) };
}

function send(fields: Record<string, string>, as = cookie) {
  const request = formRequest("/admin/users", fields, { Cookie: as });
  return resultOf(async () => action({ request, params: {}, context: {} }));
}

async function sendPlain(fields: Record<string, string>, as = cookie) {
  const result = await send(fields, as);
  expect(result).not.toBeInstanceOf(Response);
  return result as Plain;
}

async function list(as = cookie) {
  const request = new Request(`${ORIGIN}/admin/users`, { headers: { Cookie: as } });
  return loader({ request, params: {}, context: {} });
}

/** Sends the invitation form. Returns the token in the link. */
async function invited(email: string, role = "editor"): Promise<string> {
  const { data } = await sendPlain({ intent: "invite", email, role });
  const { path } = data.invitation as { path: string };
  expect(path).toMatch(/^\/invite\/[\w-]{43}$/);
  return path.slice("/invite/".length);
}

/** Opens the studio's event stream with a session. */
const listen = (as: string) => openEvents({ cookie: as });

const openLink = (token: string) =>
  resultOf(async () =>
    open({ request: new Request(`${ORIGIN}/invite/${token}`), params: { token }, context: {} }),
  ) as Promise<Plain>;

function acceptLink(token: string, password = GOOD_PASSWORD, again = password) {
  const request = formRequest(`/invite/${token}`, { password, again });
  return resultOf(async () => accept({ request, params: { token }, context: {} }));
}

const signedIn = (as: string) => currentUser(new Request(ORIGIN, { headers: { Cookie: as } }));
const userOf = (email: string) =>
  sqliteHandle().prepare("SELECT * FROM users WHERE email = ?").get(email) as
    | Record<string, unknown>
    | undefined;
const messages = async () =>
  (await listActivities()).map(({ email, action, detail }) => {
    const { before, subject, after } = activityMessage(action, detail);
    return `${email ?? "-"} ${before}${subject}${after}`;
  });

describe("an invitation", () => {
  it("creates an account with the specified role, signs the user in, and is logged", async () => {
    const token = await invited("new@example.com", "publisher");
    expect(await openLink(token)).toMatchObject({
      status: 200,
      data: { email: "new@example.com", role: "an uploader who can publish" },
    });
    const result = (await acceptLink(token)) as Response;
    expect(result.status).toBe(302);
    expect(await signedIn(cookiesOf(result))).toMatchObject({
      email: "new@example.com",
      role: "uploader",
      mayPublish: true,
    });
    expect(await messages()).toEqual([
      expect.stringContaining("new@example.com signed in"),
      "- created an account for new@example.com, who was invited",
      "owner@example.com invited new@example.com as an uploader who can publish",
    ]);
  });

  it.each(ROLE_CHOICES)("creates an account with the role %s", async (choice) => {
    const token = await invited("new@example.com", choice);
    expect((await openLink(token)).data).toMatchObject({ role: ROLE_NOUNS[choice] });
    await acceptLink(token);
    expect(userOf("new@example.com")).toMatchObject(columnsOf(choice));
  });

  it("is stored as a hash, and shown only once", async () => {
    const token = await invited("new@example.com");
    const everything = JSON.stringify([
      sqliteHandle().prepare("SELECT * FROM invitations").all(),
      sqliteHandle().prepare("SELECT * FROM activities").all(),
      await list(),
    ]);
    expect(everything).toContain("new@example.com");
    expect(everything).not.toContain(token);
  });

  it("works only once, even if it is accepted in two tabs at the same time", async () => {
    const token = await invited("new@example.com");
    const both = await Promise.all([acceptLink(token), acceptLink(token)]);
    expect(both.map(({ status }) => status).sort()).toEqual([302, 410]);
    expect(await openLink(token)).toMatchObject({
      status: 410,
      data: { message: "This invitation has already been used." },
    });
    const count = sqliteHandle().prepare("SELECT count(*) FROM users").pluck().get();
    expect(count).toBe(2);
  });

  it("expires after 48 hours", async () => {
    const made = Date.now() - 48 * HOURS;
    const { token } = await invite("new@example.com", "editor", owner.id, made);
    const expired = "This invitation has expired. Ask for a new one.";
    expect(await openLink(token)).toMatchObject({ status: 410, data: { message: expired } });
    expect(await acceptLink(token)).toMatchObject({ status: 410, data: { message: expired } });
    await expect(
      acceptInvitation(token, GOOD_PASSWORD, made + 48 * HOURS - 1),
    ).resolves.toBeTruthy();
  });

  it("can be withdrawn, and is replaced if the same email address is invited again", async () => {
    const first = await invited("new@example.com", "owner");
    const second = await invited("NEW@example.com", "uploader");
    expect((await openLink(first)).status).toBe(404);
    const { invitations } = await list();
    expect(invitations).toMatchObject([{ email: "NEW@example.com", choice: "uploader" }]);
    const id = invitations[0]!.id;
    expect(await send({ intent: "withdraw", id })).toMatchObject({ status: 302 });
    expect(await openLink(second)).toMatchObject({
      status: 404,
      data: { message: "This invitation doesn’t exist or was withdrawn." },
    });
    expect((await sendPlain({ intent: "withdraw", id })).status).toBe(404);
  });

  it("requires a strong password, entered twice, and an email address that doesn't have an account yet", async () => {
    const token = await invited("new@example.com");
    expect((await acceptLink(token, "short")).status).toBe(422);
    expect((await acceptLink(token, GOOD_PASSWORD, "another one")).status).toBe(422);
    expect(userOf("new@example.com")).toBeUndefined();
    for (const email of ["owner@example.com", "nobody"]) {
      const { status, data } = await sendPlain({ intent: "invite", email, role: "editor" });
      expect(status).toBe(422);
      expect((data.error as UsersFailure).email).toBe(email);
    }
    insertUser("new@example.com");
    expect((await acceptLink(token)).status).toBe(409);
  });

  it("isn't cached or indexed, and token guesses are limited", async () => {
    const none = {
      loaderHeaders: new Headers(),
      parentHeaders: new Headers(),
      actionHeaders: new Headers(),
      errorHeaders: undefined,
    };
    for (const given of [headers(none), inviteHeaders(none)]) {
      expect(new Headers(given).get("Cache-Control")).toBe("no-store");
    }
    expect(new Headers(inviteHeaders(none)).get("X-Robots-Tag")).toBe("noindex");
    const good = await invited("new@example.com");
    const statuses = [404];
    for (let tries = 0; statuses.at(-1) === 404 && tries < 21; tries++) {
      statuses.push((await openLink(`x${tries}`)).status);
    }
    expect(statuses.at(-1)).toBe(429);
    expect((await acceptLink(good)).status).toBe(429);
  });
});

describe("a user", () => {
  it("can be given a new role, which takes effect on the user's next request", async () => {
    const { id, email } = insertUser("e@example.com");
    const theirs = (await openSession(id)).split(";")[0]!;
    expect((await list(theirs)).users).toHaveLength(2);
    expect(await send({ intent: "role", id, role: "editor" })).toMatchObject({ status: 302 });
    const result = (await resultOf(() => list(theirs))) as Response;
    expect(result.status).toBe(403);
    expect((await send({ intent: "role", id, role: "owner" }, theirs)).status).toBe(403);
    expect(await messages()).toEqual([`owner@example.com made ${email} an editor`]);
  });

  it("loses all sessions and event streams when deactivated, and can't sign in", async () => {
    const { id, email, password } = insertUser("e@example.com");
    const theirs = (await openSession(id)).split(";")[0]!;
    listen(theirs);
    listen(cookie);
    expect(openStreamCount()).toBe(2);
    expect(await send({ intent: "deactivate", id })).toMatchObject({ status: 302 });
    expect(openStreamCount()).toBe(1);
    expect(await signedIn(theirs)).toBeUndefined();
    const signing = () =>
      resultOf(async () =>
        signIn({ request: formRequest("/auth", { email, password }), params: {}, context: {} }),
      );
    expect(await signing()).toMatchObject({
      status: 400,
      data: { message: "Incorrect email or password." },
    });
    // A session inserted by another tool isn't valid either.
    expect(await signedIn((await openSession(id)).split(";")[0]!)).toBeUndefined();
    expect(await send({ intent: "reactivate", id })).toMatchObject({ status: 302 });
    expect(((await signing()) as Response).status).toBe(302);
    expect((await messages()).slice(1)).toEqual([
      `owner@example.com reactivated the account ${email}`,
      `owner@example.com deactivated the account ${email}`,
    ]);
  });

  it("can be signed out everywhere by an owner", async () => {
    const { id } = insertUser("e@example.com");
    const theirs = (await openSession(id)).split(";")[0]!;
    expect((await list()).users.find((user) => user.id === id)?.sessions).toBe(1);
    expect(await send({ intent: "end-sessions", id })).toMatchObject({ status: 302 });
    expect(await signedIn(theirs)).toBeUndefined();
    expect((await sendPlain({ intent: "end-sessions", id: "nobody" })).status).toBe(404);
  });

  it("is an owner if another tool inserted the account or if the account predates roles", async () => {
    sqliteHandle().exec("INSERT INTO users (email, password_hash) VALUES ('p@example.com', 'x')");
    const { users } = await list();
    expect(users.map(({ choice }) => choice)).toEqual(["owner", "owner"]);
  });
});

describe("the last owner", () => {
  it("can't be deactivated or given another role, even by themselves", async () => {
    for (const fields of [
      { intent: "role", role: "editor" },
      { intent: "deactivate", role: "" },
    ]) {
      expect((await sendPlain({ ...fields, id: owner.id })).status).toBe(409);
    }
    const editor = insertUser("e@example.com");
    await changeRole(editor.id, "editor", owner.id);
    await expect(changeRole(owner.id, "editor", editor.id)).rejects.toThrow(LAST_OWNER);
    await expect(setDeactivated(owner.id, true, editor.id)).rejects.toThrow(LAST_OWNER);
    expect(await signedIn(cookie)).toMatchObject({ role: "owner" });
  });

  it("can't be removed, even if two owners try to remove each other at the same time", async () => {
    const other = insertUser("o@example.com");
    const both = await Promise.allSettled([
      setDeactivated(other.id, true, owner.id),
      changeRole(owner.id, "editor", other.id),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const owners = sqliteHandle()
      .prepare("SELECT count(*) FROM users WHERE role = 'owner' AND deactivated_at IS NULL")
      .pluck()
      .get();
    expect(owners).toBe(1);
  });
});
