import { beforeEach, describe, expect, it } from "vitest";
import { createToken } from "~/features/accounts/tokens/tokens.server";
import { action as callApi } from "~/features/api/routes/api";
import { listPublished } from "~/features/catalogue/published-list.server";
import { refusalsOf } from "~/features/consent/validity.server";
import { performDue } from "~/features/library/change-visibility.server";
import { createPreviewLink, findPreview } from "~/features/library/review/preview-links.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { importVideos } from "~/features/upload/import/import.server";
import { correctHeld, hold, releaseHold } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { listActivities } from "~/platform/activity/activity.server";
import { sqliteHandle, transaction } from "~db/client.server";
import type { HoldReason } from "~db/schema/moderation";
import {
  addVideo,
  expectFailure,
  expectSuccess,
  sendForResult,
  useAdminSite,
  video,
} from "../../admin-requests";

useAdminSite();
const MESSAGE = /^This video is on hold until a moderator decides/;
const holdIt = (videoId = "v", reason: HoldReason = "report") =>
  transaction(() => hold({ videoId, reason }));
const release = (videoId = "v", reason: HoldReason = "report") =>
  transaction(() => releaseHold({ videoId, reason }));
const statusOf = (id = "v") => video(id)?.status;
const isListed = async () => (await listPublished({ page: 1 })).videos.length > 0;

describe("a video on hold", () => {
  beforeEach(async () => {
    addVideo({ status: "published" });
    await holdIt();
  });

  it("is hidden immediately and isn't announced as public", async () => {
    expect(statusOf()).toBe("published");
    expect(isPublic("v")).toBe(false);
    expect(await isListed()).toBe(false);
    expect(refusalsOf(["v", "other"])).toEqual(new Map([["v", expect.stringMatching(MESSAGE)]]));
  });

  it("is public again once its last hold is released", async () => {
    await holdIt("v", "consent");
    expect(await release()).toBe(true);
    expect(isPublic("v")).toBe(false);
    await release("v", "consent");
    expect(isPublic("v")).toBe(true);
    expect(await isListed()).toBe(true);
    expect(await release()).toBe(false);
  });

  it("has a hold for each report, and releasing one leaves the others in place", async () => {
    const about = { videoId: "v", reason: "report" } as const;
    await transaction(() => hold({ ...about, sourceId: "a" }));
    await transaction(() => releaseHold({ ...about, sourceId: "a" }));
    expect(isPublic("v")).toBe(false);
    await release();
    expect(isPublic("v")).toBe(true);
  });

  it("stays hidden if a person hides it in the meantime", async () => {
    await expectSuccess({ intent: "toggle", id: "v", expectedStatus: "published" });
    await release();
    expect(statusOf()).toBe("hidden");
    expect(isPublic("v")).toBe(false);
  });

  it("isn't published by its visibility toggle or by the button on the review page", async () => {
    await expectSuccess({ intent: "toggle", id: "v", expectedStatus: "published" });
    expect(
      await expectFailure({ intent: "toggle", id: "v", expectedStatus: "hidden" }),
    ).toMatchObject({
      status: 422,
      detail: expect.stringMatching(MESSAGE),
    });
    expect(statusOf()).toBe("hidden");
  });

  it("isn't published in bulk, and the preview says so", async () => {
    addVideo({ id: "free", title: "Free", status: "hidden" });
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    const fields = { intent: "bulk", do: "publish", selected: ["v", "free"] };
    const { bulkPreview, preview = bulkPreview } = (await sendForResult({
      ...fields,
      preview: "",
    })) as {
      bulkPreview?: { because: string };
      preview?: { because: string };
    };
    expect(preview?.because).toMatch(MESSAGE);
    const { toast } = await expectSuccess(fields);
    expect(toast.description).toMatch(
      /Published 1 video.*not changed because.*“A video”.*is on hold until/,
    );
    expect([statusOf(), statusOf("free")]).toEqual(["hidden", "published"]);
    expect(await expectFailure({ intent: "bulk", do: "publish", selected: "v" })).toMatchObject({
      status: 422,
      detail: expect.stringMatching(/on hold until a moderator/),
    });
  });

  it("isn't public at its scheduled time, as the toast says in advance, and becomes public once it has no holds", async () => {
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const { toast } = await expectSuccess({ intent: "schedule", id: "v", publishAt: at });
    expect(toast.description).toMatch(/has been saved\. This video is on hold .* will stay hidden/);
    await performDue(Date.parse(at) + 1);
    expect(video()).toMatchObject({ status: "published", publish_at: null, created_at: at });
    expect(isPublic("v")).toBe(false);
    expect((await listActivities())[0]?.action).toBe("publish-withheld");
    await release();
    expect(isPublic("v")).toBe(true);
  });

  it("stays hidden if its scheduled end has passed when the last hold is released", async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString();
    await expectSuccess({ intent: "schedule", id: "v", unpublishAt: at });
    await performDue(Date.parse(at) + 1);
    await release();
    expect(video()).toMatchObject({ status: "hidden", unpublish_at: null });
  });

  it("is still on hold when it is restored from the trash, and the message shows the reason", async () => {
    await release();
    await removeVideos(["v"], "u");
    await holdIt();
    expect(await restoreVideos(["v"], "u")).toMatchObject({
      kind: "success",
      description: expect.stringMatching(
        /restored.*restored but not published: “A video”\. This video is on hold/,
      ),
    });
    expect(isPublic("v")).toBe(false);
    await release();
    expect(isPublic("v")).toBe(true);
  });

  it("can't be restored from the trash if a moderator has removed it", async () => {
    await holdIt("v", "removed");
    await removeVideos(["v"], "u");
    expect(await restoreVideos(["v"], "u")).toMatchObject({
      status: 409,
      detail: expect.stringMatching(/not restored: “A video”\. A moderator removed/),
    });
    expect(video()).toBeUndefined();
  });

  it("stays on hold when it is imported with its ID", async () => {
    sqliteHandle().exec("DELETE FROM videos");
    const entry = { name: "old.mp4", file: undefined, id: "v", title: "Old", description: "" };
    const entries = [{ ...entry, category: "desi", tags: [], status: "published" as const }];
    const summary = await importVideos({ entries, failures: [] }, { userId: "u", mode: "copy" });
    expect(summary).toMatchObject({ imported: 1, failures: [] });
    const reason = expect.stringMatching(MESSAGE);
    expect(summary.notPublic).toEqual([{ name: "old.mp4", reason }]);
    expect(isPublic("v")).toBe(false);
  });

  it("isn't published through the API", async () => {
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    const form = new FormData();
    for (const [name, value] of Object.entries({ name: "p", days: "7", scope: "publish" })) {
      form.set(name, value);
    }
    const user = { id: "u", email: "a@b.c", role: "owner" as const, mayPublish: true };
    const token = await createToken(user, form);
    const path = "videos/v/publish";
    const request = new Request(`http://localhost/api/v1/${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
    });
    const response = (await callApi({
      ...{ request, params: { "*": path }, context: {} },
    } as never)) as Response;
    expect(response.status).toBe(422);
    expect(((await response.json()) as { detail: string }).detail).toMatch(MESSAGE);
    expect(statusOf()).toBe("hidden");
  });

  it.each([
    ["changes its row", "UPDATE videos SET status = 'published'"],
    ["changes all of it", "UPDATE videos SET status = 'published', title = 'B', views = 3"],
    [
      "inserts it again",
      "DELETE FROM videos; INSERT INTO videos (id, title, category) VALUES ('v', 'B', 'desi')",
    ],
    ["replaces it", "REPLACE INTO videos (id, title, category) VALUES ('v', 'B', 'desi')"],
    [
      "gives its id to another",
      "DELETE FROM videos; INSERT INTO videos (id, title, category) VALUES ('w', 'B', 'desi'); UPDATE videos SET id = 'v'",
    ],
    ["removes its flag", "UPDATE videos SET held = 0"],
  ])("isn't published by another tool that %s", async (_, sql) => {
    sqliteHandle().exec(sql);
    expect(isPublic("v")).toBe(false);
    expect(await isListed()).toBe(false);
  });

  it("is hidden at startup if the triggers were lost when the database file was rebuilt", async () => {
    addVideo({ id: "free", title: "Free", status: "published" });
    sqliteHandle().exec(`
      DROP TRIGGER videos_held_kept;
      UPDATE videos SET held = CASE id WHEN 'v' THEN 0 ELSE 1 END`);
    expect([isPublic("v"), isPublic("free")]).toEqual([true, false]);
    expect(correctHeld()).toBe(2);
    expect([isPublic("v"), isPublic("free")]).toEqual([false, true]);
    expect(correctHeld()).toBe(0);
  });

  it("isn't shown by preview links", async () => {
    sqliteHandle().exec("UPDATE videos SET status = 'review'");
    const token = String(await createPreviewLink({ id: "v", title: "A video" }, "u"));
    expect(findPreview(token)).toBeUndefined();
    await release();
    expect(findPreview(token)).toMatchObject({ videoId: "v" });
    // The link doesn't work while the video is hidden, or while the account that created the link is deactivated.
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    expect(findPreview(token)).toBeUndefined();
    expect(await createPreviewLink({ id: "v", title: "A video" }, "u")).toMatchObject({
      status: 409,
    });
    sqliteHandle().exec("UPDATE videos SET publish_at = '2099-01-01T00:00:00.000Z'");
    expect(findPreview(token)).toMatchObject({ videoId: "v" });
    sqliteHandle().exec("UPDATE users SET deactivated_at = '2026-01-01T00:00:00.000Z'");
    expect(findPreview(token)).toBeUndefined();
  });
});

describe("a hold", () => {
  it("is written in a transaction", () => {
    expect(() => hold({ videoId: "v", reason: "report" })).toThrow("in a transaction");
    expect(() => releaseHold({ videoId: "v", reason: "report" })).toThrow("in a transaction");
  });

  it("doesn't change drafts or hidden videos", async () => {
    addVideo({ status: "review" });
    addVideo({ id: "w", status: "hidden" });
    for (const id of ["v", "w"]) await holdIt(id);
    for (const id of ["v", "w"]) await release(id);
    expect([statusOf("v"), statusOf("w")]).toEqual(["review", "hidden"]);
  });

  it("shows the longest-lasting of several reasons", async () => {
    await holdIt();
    await holdIt("v", "removed");
    expect(refusalsOf(["v"]).get("v")).toMatch(/^A moderator removed/);
  });
});
