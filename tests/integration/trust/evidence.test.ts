import { beforeEach, describe, expect, it } from "vitest";
import { discardFile } from "~/features/library/files/other-files.server";
import { action as actOnTrash } from "~/features/library/routes/trash";
import { openSession } from "~/features/permissions/session.server";
import { deleteVideo, removeVideos } from "~/features/trash/remove.server";
import { emptyTrash } from "~/features/trash/trash.server";
import { hold } from "~/features/visibility/holds.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { addVideo, useAdminSite } from "../../admin-requests";

/** Tests that evidence can't be deleted while moderators need it. */

useAdminSite();
const ORIGIN = "http://localhost";
const exec = (sql: string) => sqliteHandle().exec(sql);
const deleted = () => sqliteHandle().prepare("SELECT id FROM deleted_videos").pluck().all();
const report = () =>
  exec(`
    INSERT INTO reports (id, kind, received_at, due_at) VALUES ('r', 'copyright', '2026-01-01', '2026-01-06');
    INSERT INTO report_videos (report_id, video_id) VALUES ('r', 'v')`);
const close = () => exec("UPDATE reports SET state = 'closed'");

async function trash(fields: Record<string, string>, userId = "u") {
  const request = new Request(`${ORIGIN}/admin/trash`, {
    method: "POST",
    headers: {
      Cookie: (await openSession(userId)).split(";")[0]!,
      Origin: ORIGIN,
      Host: "localhost",
    },
    body: new URLSearchParams(fields),
  });
  await actOnTrash({ request, params: {}, context: {} } as never).catch(() => {});
}
const purge = (userId?: string) =>
  trash({ intent: "purge", selected: "v", confirmed: "1" }, userId);
const empty = (userId?: string) =>
  trash({ intent: "empty", until: new Date(Date.now() + 1_000).toISOString() }, userId);

beforeEach(() => {
  addVideo({ status: "published", uploaded_by: "up" });
  exec(`INSERT INTO users (id, email, password_hash, role, may_publish) VALUES
    ('up', 'up@b.c', 'x', 'uploader', 1), ('ed', 'ed@b.c', 'x', 'editor', 1)`);
});

describe("a video with an open report", () => {
  beforeEach(report);

  it("can be deleted by an editor but not by its uploader", async () => {
    expect(await deleteVideo("v", "up")).toEqual({ code: "evidence" });
    expect(deleted()).toEqual([]);
    await removeVideos(["v"], "ed");
    expect(deleted()).toEqual(["v"]);
  });

  it("stays in the trash until the report is closed, even after 30 days, and can't be purged by anyone", async () => {
    await removeVideos(["v"], "ed");
    for (const user of ["u", "ed", "up"]) {
      await purge(user);
      await empty(user);
    }
    await emptyTrash(Date.now() + 31 * 86_400_000);
    expect(deleted()).toEqual(["v"]);
    close();
    await emptyTrash(Date.now() + 31 * 86_400_000);
    expect(deleted()).toEqual([]);
  });
});

describe("a video rejected by the scan", () => {
  it.each([
    ["its file", "v"],
    ["a pending file", "f"],
  ])("can be purged only by an owner if the scan rejected %s", async (_, id) => {
    exec(`INSERT INTO video_files (id, video_id, state) VALUES ('f', 'v', 'pending');
      INSERT INTO scan_findings VALUES ('${id}', 'refuse', 'A known video', '2026-01-01')`);
    expect(await deleteVideo("v", "up")).toEqual({ code: "evidence" });
    const discarded = await discardFile({ id: "f", videoId: "v" }, "up");
    expect(discarded).toEqual({ code: "evidence" });
    await removeVideos(["v"], "ed");
    for (const user of ["ed", "up"]) {
      await purge(user);
      await empty(user);
    }
    expect(deleted()).toEqual(["v"]);
    await purge("u");
    expect(deleted()).toEqual([]);
  });
});

describe("a video removed by a moderator", () => {
  beforeEach(async () => {
    report();
    await transaction(() => hold({ videoId: "v", reason: "removed", sourceId: "r" }));
    await removeVideos(["v"], "ed");
    close();
  });

  it("can be purged only by an owner", async () => {
    for (const user of ["ed", "up"]) {
      await purge(user);
      await empty(user);
    }
    await empty("u");
    expect(deleted()).toEqual(["v"]);
    await purge("u");
    expect(deleted()).toEqual([]);
  });

  it("is purged after 30 days", async () => {
    await emptyTrash(Date.now() + 31 * 86_400_000);
    expect(deleted()).toEqual([]);
  });
});
