import { beforeEach, describe, expect, it } from "vitest";
import { activateReady } from "~/features/library/files/activate-replacement.server";
import { otherFiles } from "~/features/library/files/other-files.server";
import { action as actOnPanel } from "~/features/library/routes/admin";
import { action as actOnTrash } from "~/features/library/routes/trash";
import { reviewedKinds } from "~/features/moderation/reports/report-videos.server";
import { openSession } from "~/features/permissions/session.server";
import { hold, releaseHold } from "~/features/visibility/holds.server";
import { sqliteHandle, transaction } from "~db/client.server";
import type { HoldReason } from "~db/schema/moderation";
import {
  addVideo,
  adminCookie,
  expectFailure,
  expectSuccess,
  sendMultipart,
  useAdminSite,
  video,
  writeUpload,
} from "../../../admin-requests";
import { addKeptReport } from "../../../reported-videos";

const site = useAdminSite();
const ORIGIN = "http://localhost";
const BEFORE = "/media/videos/up/1.mp4";
const AFTER = "/media/videos/up/2.mp4";
const playedFile = () => video()?.video_url;

/** Adds a video uploaded by `up`, and another file for it. */
function addVideoWithTwoFiles(state: "pending" | "earlier" | "original", status: string): void {
  addVideo({
    ...{ status, uploaded_by: "up", video_url: BEFORE, duration: "1:00" },
    ...(state === "original" && { cut_of: "up/2", cut_start: 0, cut_end: 1 }),
  });
  sqliteHandle()
    .prepare(
      `INSERT INTO video_files (id, video_id, state, user_id, video_url, duration, replaced_at)
       VALUES ('n', 'v', ?, 'up', ?, '2:00', ?)`,
    )
    .run(state, AFTER, state === "pending" ? null : new Date().toISOString());
  for (const name of ["1", "2"]) writeUpload(site.uploads, `videos/up/${name}.mp4`);
}

const holdVideo = (reason: HoldReason = "report") =>
  transaction(() => hold({ videoId: "v", reason }));
const release = (reason: HoldReason = "report") =>
  transaction(() => releaseHold({ videoId: "v", reason }));

beforeEach(() => {
  sqliteHandle().exec(
    "INSERT INTO users (id, email, password_hash, role) VALUES ('up', 'up@b.c', 'x', 'uploader')",
  );
});

describe("the file of a video on hold", () => {
  it.each(["report", "consent", "block-list", "user-blocked", "comparing"] as const)(
    "isn't replaced by a ready file until the hold for %s is released",
    async (reason) => {
      addVideoWithTwoFiles("pending", "review");
      await holdVideo(reason);
      await activateReady();
      expect(playedFile()).toBe(BEFORE);
      expect(otherFiles("v").pending?.waitsFor).toContain("file of a video that is on hold");
      await release(reason);
      expect(otherFiles("v").pending?.waitsFor).toBeUndefined();
      await activateReady();
      expect(playedFile()).toBe(AFTER);
    },
  );

  const ON_HOLD = {
    status: 409,
    detail: expect.stringContaining("file of a video that is on hold"),
  };

  it("isn't replaced when someone requests the switch", async () => {
    addVideoWithTwoFiles("pending", "published");
    await holdVideo();
    expect(await expectFailure({ intent: "use-file", id: "v", file: "n" })).toMatchObject(ON_HOLD);
    expect(playedFile()).toBe(BEFORE);
  });

  it("can't be replaced by an earlier file, either from its dialog or from the trash", async () => {
    addVideoWithTwoFiles("earlier", "published");
    await holdVideo();
    expect(await expectFailure({ intent: "restore-file", id: "v", file: "n" })).toMatchObject(
      ON_HOLD,
    );
    const request = new Request(`${ORIGIN}/admin/trash`, {
      method: "POST",
      body: new URLSearchParams({ intent: "restore-file", file: "n" }),
      headers: { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost" },
    });
    const response = await actOnTrash({ request, params: {}, context: {} });
    expect((response as { init?: ResponseInit }).init?.status).toBe(409);
    expect(playedFile()).toBe(BEFORE);
    await release();
    await expectSuccess({ intent: "restore-file", id: "v", file: "n" });
    expect(playedFile()).toBe(AFTER);
  });

  it("can't be trimmed, and its trim can't be undone", async () => {
    addVideoWithTwoFiles("original", "published");
    await holdVideo();
    expect(
      await expectFailure({ intent: "trim", id: "v", start: "0:01", end: "0:30" }),
    ).toMatchObject(ON_HOLD);
    expect(await expectFailure({ intent: "undo-trim", id: "v" })).toMatchObject(ON_HOLD);
    expect(playedFile()).toBe(BEFORE);
  });

  it("isn't replaced by an uploaded file", async () => {
    addVideo({ status: "published", video_url: BEFORE });
    await holdVideo();
    const form = new FormData();
    for (const [name, value] of Object.entries({ intent: "replace", id: "v", upload: "none" })) {
      form.set(name, value);
    }
    const response = (await sendMultipart(form, "/admin?tab=manage&replace=v")) as unknown as {
      data: { studio: unknown };
    };
    expect(response.data.studio).toMatchObject(ON_HOLD);
  });
});

describe("a pending file", () => {
  const change = (columns: string) =>
    sqliteHandle().exec(`UPDATE users SET ${columns} WHERE id = 'up'`);

  it("waits for an editor once a drafts-only uploader's video is published", async () => {
    addVideoWithTwoFiles("pending", "review");
    await expectSuccess({ intent: "toggle", id: "v", expectedStatus: "review" });
    expect(video()?.status).toBe("published");
    await activateReady();
    expect(playedFile()).toBe(BEFORE);
    expect(otherFiles("v").pending?.waitsFor).toContain("An editor has to switch");
    await expectSuccess({ intent: "use-file", id: "v", file: "n" });
    expect(playedFile()).toBe(AFTER);
  });

  it("waits for an editor once its uploader can no longer publish", async () => {
    change("may_publish = 1");
    addVideoWithTwoFiles("pending", "published");
    change("may_publish = 0");
    await activateReady();
    expect(playedFile()).toBe(BEFORE);
    change("may_publish = 1");
    await activateReady();
    expect(playedFile()).toBe(AFTER);
  });

  it("waits for an editor once its uploader's account is deactivated or deleted", async () => {
    addVideoWithTwoFiles("pending", "review");
    change("deactivated_at = '2026-01-01T00:00:00.000Z'");
    await activateReady();
    expect(playedFile()).toBe(BEFORE);
    sqliteHandle().exec(
      "UPDATE users SET deactivated_at = NULL; UPDATE video_files SET user_id = NULL",
    );
    await activateReady();
    expect(playedFile()).toBe(BEFORE);
  });

  it("replaces a drafts-only uploader's draft, and the uploader can also switch to it early", async () => {
    addVideoWithTwoFiles("pending", "review");
    const cookie = (await openSession("up")).split(";")[0] ?? "";
    const request = new Request(`${ORIGIN}/admin?tab=manage`, {
      method: "POST",
      body: new URLSearchParams({ intent: "use-file", id: "v", file: "n" }),
      headers: { Cookie: cookie, Origin: ORIGIN, Host: "localhost" },
    });
    await expect(actOnPanel({ request, params: {}, context: {} })).rejects.toMatchObject({
      status: 302,
    });
    expect(playedFile()).toBe(AFTER);
  });

  it("requires another review of a video that was reviewed with its earlier file", async () => {
    addVideoWithTwoFiles("pending", "review");
    for (const id of ["v", "other"]) addKeptReport(sqliteHandle(), id, "under-age");
    await activateReady();
    expect(playedFile()).toBe(AFTER);
    expect(["v", "other"].map(reviewedKinds)).toEqual([[], ["under-age"]]);
  });
});
