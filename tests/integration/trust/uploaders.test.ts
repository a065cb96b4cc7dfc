import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loader as accountLoader } from "~/features/accounts/routes/account";
import { action } from "~/features/accounts/routes/users";
import { setDeactivated } from "~/features/accounts/user-list.server";
import { giveStrike, listStrikes } from "~/features/accounts/users/strikes.server";
import { currentUser } from "~/features/permissions/guard.server";
import { openSession } from "~/features/permissions/session.server";
import { hold, releaseHold } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { formRequest, insertUser, ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

const DAY_MS = 24 * 60 * 60 * 1000;

let site: ReturnType<typeof useTemporarySite>;
let owner: ReturnType<typeof insertUser>;
let uploader: ReturnType<typeof insertUser>;
let cookie: string;
beforeEach(async () => {
  site = useTemporarySite();
  owner = insertUser("owner@example.com");
  uploader = insertUser("uploader@example.com");
  run("UPDATE users SET role = 'uploader', may_publish = 1 WHERE id = ?", uploader.id);
  cookie = (await openSession(owner.id)).split(";")[0]!;
});
afterEach(() => site.remove());

function run(sql: string, ...values: unknown[]) {
  sqliteHandle()
    .prepare(sql)
    .run(...values);
}

function addVideo(id: string, status: string, publishAt: string | null = null) {
  run(
    "INSERT INTO videos (id, title, category, status, uploaded_by, publish_at) VALUES (?, ?, 'desi', ?, ?, ?)",
    ...[id, id, status, uploader.id, publishAt],
  );
}

const actions = () =>
  sqliteHandle().prepare("SELECT action FROM moderation_log ORDER BY id").pluck().all();

/** Submits the form. Returns the toast's message, or the status and the reason. */
async function send(fields: Record<string, string>, as = cookie) {
  const request = formRequest("/admin/users", fields, { Cookie: as });
  const response = await action({ request, params: {}, context: {} }).catch((thrown) => thrown);
  if (response instanceof Response) return { status: response.status, detail: "" };
  const { data, init } = response as {
    data: { error?: { detail?: string } };
    init: { status: number };
  };
  return { status: init.status, detail: data.error?.detail ?? "" };
}

describe("a strike", () => {
  it("is given with a reason for the uploader, and counts for 90 days", async () => {
    const now = Date.now();
    expect(
      await send({ intent: "strike", id: uploader.id, reason: " A <b>stolen</b> video " }),
    ).toEqual({
      status: 302,
      detail: "",
    });
    const [strike] = listStrikes([uploader.id], now).get(uploader.id)!;
    expect(strike).toMatchObject({ reason: "A <b>stolen</b> video", counts: true });
    const after = listStrikes([uploader.id], now + 91 * DAY_MS).get(uploader.id)!;
    expect(after[0]!.counts).toBe(false);

    const own = (await openSession(uploader.id)).split(";")[0]!;
    const request = new Request(`${ORIGIN}/admin/account`, { headers: { Cookie: own } });
    const { strikes } = await accountLoader({ request, params: {}, context: {} });
    expect(strikes.map(({ reason }) => reason)).toEqual(["A <b>stolen</b> video"]);
  });

  it("is given only once if the form is sent twice", async () => {
    const form = { intent: "strike", id: uploader.id, reason: "A stolen video", shown: "0" };
    expect((await send(form)).status).toBe(302);
    expect(await send(form)).toMatchObject({
      detail: expect.stringContaining("another strike since you opened the page"),
    });
    expect(listStrikes([uploader.id]).get(uploader.id)).toHaveLength(1);
    expect((await send({ ...form, shown: "1" })).status).toBe(302);
  });

  it("is logged without its reason or anyone's name", async () => {
    await send({ intent: "strike", id: uploader.id, reason: "A stolen video" });
    const log = JSON.stringify(sqliteHandle().prepare("SELECT * FROM moderation_log").all());
    expect(actions()).toEqual(["strike"]);
    expect(log).not.toContain("stolen");
    expect(log).not.toContain("@");
  });

  it("is rejected if the reason is missing or too long, or if the user isn't an uploader", async () => {
    const id = uploader.id;
    for (const [fields, message] of [
      [{ id, reason: "  " }, "Enter a reason for the strike."],
      [{ id, reason: "x".repeat(501) }, "Use at most 500 characters for the reason."],
      [{ id: owner.id, reason: "x" }, "Only uploaders can get strikes."],
    ] as const) {
      const response = await send({ intent: "strike", ...fields });
      expect([response.status, response.detail]).toEqual([409, expect.stringContaining(message)]);
    }
    expect((await send({ intent: "strike", id: "nobody", reason: "x" })).status).toBe(404);
    expect(listStrikes([id, owner.id]).size).toBe(0);
  });

  it("blocks the account if it is the third one, not counting expired and withdrawn strikes", async () => {
    const own = (await openSession(uploader.id)).split(";")[0]!;
    const isIn = async () =>
      (await currentUser(new Request(ORIGIN, { headers: { Cookie: own } }))) !== undefined;
    await giveStrike(uploader.id, "Long ago", owner.id, { now: Date.now() - 91 * DAY_MS });
    await giveStrike(uploader.id, "One", owner.id);
    await giveStrike(uploader.id, "Two", owner.id);
    const { id } = listStrikes([uploader.id])
      .get(uploader.id)!
      .find(({ reason }) => reason === "Two")!;
    expect((await send({ intent: "withdraw-strike", id })).status).toBe(302);
    expect((await send({ intent: "withdraw-strike", id })).status).toBe(404);
    await giveStrike(uploader.id, "Two again", owner.id);
    expect(await isIn()).toBe(true);
    const third = await giveStrike(uploader.id, "Three", owner.id);
    expect(third).toMatchObject({ strikes: 3, isBlocked: true });
    expect(await isIn()).toBe(false);
    expect(actions().slice(-2)).toEqual(["strike", "block-user"]);
  });

  it("doesn't block any account if the setting is off", async () => {
    await site.remove();
    site = useTemporarySite({ STRIKES_BLOCK: "0" });
    owner = insertUser("owner@example.com");
    uploader = insertUser("uploader@example.com");
    run("UPDATE users SET role = 'uploader' WHERE id = ?", uploader.id);
    for (let each = 0; each < 5; each++) {
      expect(await giveStrike(uploader.id, "x", owner.id)).toMatchObject({ isBlocked: false });
    }
  });

  it("can be given only by owners", async () => {
    const editor = insertUser("editor@example.com");
    run("UPDATE users SET role = 'editor' WHERE id = ?", editor.id);
    for (const { id } of [editor, uploader]) {
      const as = (await openSession(id)).split(";")[0]!;
      expect((await send({ intent: "strike", id: uploader.id, reason: "x" }, as)).status).toBe(403);
      expect((await send({ intent: "block", id: uploader.id }, as)).status).toBe(403);
    }
  });
});

describe("blocking an account", () => {
  beforeEach(() => {
    addVideo("public", "published");
    addVideo("scheduled", "review", "2099-01-01T00:00:00.000Z");
    addVideo("hidden", "hidden");
    addVideo("reported", "published");
  });

  it("ends its sessions and revokes its tokens, but doesn't hide its videos unless requested", async () => {
    const own = (await openSession(uploader.id)).split(";")[0]!;
    run(
      "INSERT INTO api_tokens (token_hash, user_id, name, scopes, created_at, expires_at) VALUES ('h', ?, 'n', '[]', '2026-01-01', '2099-01-01')",
      uploader.id,
    );
    expect((await send({ intent: "block", id: uploader.id })).status).toBe(302);
    expect(await currentUser(new Request(ORIGIN, { headers: { Cookie: own } }))).toBeUndefined();
    expect(sqliteHandle().prepare("SELECT count(*) FROM api_tokens").pluck().get()).toBe(0);
    expect(isPublic("public")).toBe(true);
  });

  it("can put all of its videos on hold; those that were public become public again when the account is reactivated", async () => {
    await transaction(() => hold({ videoId: "reported", reason: "report" }));
    await send({ intent: "block", id: uploader.id, hide: "1" });
    const all = ["public", "reported", "hidden"];
    expect(all.map(isPublic)).toEqual([false, false, false]);
    // Blocking the account again has no effect.
    await send({ intent: "block", id: uploader.id, hide: "1" });
    const count = sqliteHandle().prepare("SELECT count(*) FROM videos").pluck().get();
    expect(actions().filter((each) => each === "hide-blocked")).toHaveLength(count as number);
    // The videos don't become public when another hold is released or when another tool publishes them.
    await transaction(() => releaseHold({ videoId: "reported", reason: "report" }));
    run("UPDATE videos SET status = 'published' WHERE id = 'public'");
    expect(all.map(isPublic)).toEqual([false, false, false]);
    await transaction(() => hold({ videoId: "reported", reason: "report" }));

    await send({ intent: "reactivate", id: uploader.id });
    expect(all.map(isPublic)).toEqual([true, false, false]);
    const holds = sqliteHandle().prepare("SELECT video_id, reason FROM video_holds").all();
    expect(holds).toEqual([{ video_id: "reported", reason: "report" }]);
  });

  it("keeps a video that was reassigned to another blocked account on hold until both are reactivated", async () => {
    const other = insertUser("other@example.com");
    run("UPDATE users SET role = 'uploader' WHERE id = ?", other.id);
    await send({ intent: "block", id: uploader.id, hide: "1" });
    run("DELETE FROM videos WHERE id = 'hidden'");
    run("UPDATE videos SET uploaded_by = ? WHERE id = 'public'", other.id);
    await send({ intent: "block", id: other.id, hide: "1" });
    // Reactivate one account while the other stays blocked.
    await send({ intent: "reactivate", id: other.id });
    expect(isPublic("public")).toBe(false);
    await send({ intent: "block", id: other.id, hide: "1" });
    await send({ intent: "reactivate", id: uploader.id });
    expect(isPublic("public")).toBe(false);
    expect(isPublic("reported")).toBe(true);
    await send({ intent: "reactivate", id: other.id });
    expect(isPublic("public")).toBe(true);
    expect(sqliteHandle().prepare("SELECT * FROM video_holds").all()).toEqual([]);
  });

  it("can hide the videos of an account that is already deactivated", async () => {
    await setDeactivated(uploader.id, true, owner.id);
    await send({ intent: "block", id: uploader.id, hide: "1" });
    expect(isPublic("public")).toBe(false);
  });

  it("is rejected for owners, including the user's own account", async () => {
    const other = insertUser("other@example.com");
    for (const { id } of [other, owner]) {
      expect((await send({ intent: "block", id, hide: "1" })).status).toBe(409);
    }
  });
});
