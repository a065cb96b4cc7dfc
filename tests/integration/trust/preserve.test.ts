import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { reportArchive } from "~/features/moderation/reports/report-archive.server";
import {
  addVideosToReport,
  eraseClosedReport,
  preserveReport,
} from "~/features/moderation/reports/report-forms.server";
import { readReportPage } from "~/features/moderation/reports/report-page.server";
import {
  addMessage,
  closeReport,
  createReport,
  eraseReport,
  readMessages,
  readReport,
  reportsToErase,
} from "~/features/moderation/reports/report-records.server";
import { deleteOldDecisions } from "~/features/moderation/reports/uploader-decisions.server";
import { action as archiveAction } from "~/features/moderation/routes/report-archive";
import { action } from "~/features/moderation/routes/report-decision";
import {
  checkLibrary,
  quarantineStray,
} from "~/features/operations/library-check/check-library.server";
import { openSession } from "~/features/permissions/session.server";
import { removeVideos } from "~/features/trash/remove.server";
import { emptyTrash, purge } from "~/features/trash/trash.server";
import { enqueueRemovals, removeFiles } from "~/media/files/removals.server";
import { recordFile } from "~/media/media-files.server";
import { settings } from "~/platform/settings.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { addVideo, adminCookie, useAdminSite, writeUpload } from "../../admin-requests";

/** Tests that evidence can be preserved for a year and exported as one file. */

const site = useAdminSite();
const ORIGIN = "http://localhost";
const DAY_MS = 86_400_000;
const VIDEO = "videos/up/1.mp4";
const SOURCE = "videos/up/1.mov";

beforeEach(async () => {
  writeUpload(site.uploads, VIDEO);
  addVideo({ status: "published", video_url: `/media/${VIDEO}` });
  const payload = { name: "Ann", email: "", where: "", what: "It is wrong.", statements: [] };
  await transaction(() => {
    createReport({ id: "r", kind: "under-age", videos: ["v"], payload });
    addMessage({ reportId: "r", author: "reporter", text: "Look at 0:40." });
    closeReport({ id: "r", decision: "remove" }, Date.now() - 10_000 * DAY_MS);
  });
});

const deleted = () => sqliteHandle().prepare("SELECT id FROM deleted_videos").pluck().all();
const exists = (name: string) => fs.existsSync(path.join(site.uploads, name));

async function send(fields: Record<string, string>, cookie = adminCookie()): Promise<number> {
  const request = new Request(`${ORIGIN}/admin/reports/r`, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { Cookie: cookie, Origin: ORIGIN, Host: "localhost" },
  });
  const response = await action({ request, params: { id: "r" }, context: {} }).catch(
    (thrown: unknown) => thrown,
  );
  return response instanceof Response
    ? response.status
    : ((response as { init: ResponseInit }).init.status ?? 0);
}

describe("a preserved video", () => {
  it("can't be purged from the trash by anyone, and is purged once the preservation ends", async () => {
    expect(await send({ intent: "preserve" })).toBe(302);
    await removeVideos(["v"], "u");
    expect(await purge(["v"])).toEqual([]);
    await emptyTrash(Date.now() + 31 * DAY_MS);
    expect(deleted()).toEqual(["v"]);
    expect(exists(VIDEO)).toBe(true);
    expect(await send({ intent: "end-preservation" })).toBe(302);
    expect(await send({ intent: "end-preservation" })).toBe(409);
    await emptyTrash(Date.now() + 31 * DAY_MS);
    await removeFiles();
    expect(deleted()).toEqual([]);
    expect(exists(VIDEO)).toBe(false);
  });

  it("can be purged after a year, when the preservation expires", async () => {
    await preserveReport("r", "u", Date.now() - 366 * DAY_MS);
    await removeVideos(["v"], "u");
    expect(await purge(["v"])).toHaveLength(1);
  });

  it("keeps files that are replaced when the video is converted or changed", async () => {
    writeUpload(site.uploads, SOURCE);
    await recordFile({ bucket: "videos", path: "up/1.mov", videoId: "v", kind: "source" });
    await preserveReport("r", "u");
    await transaction(() =>
      enqueueRemovals([{ bucket: "videos", path: "up/1.mov" }], { reason: "converted" }),
    );
    await removeFiles();
    expect(exists(SOURCE)).toBe(true);
    sqliteHandle().exec("UPDATE preserved_reports SET until = '2020-01-01'");
    await removeFiles();
    expect(exists(SOURCE)).toBe(false);
  });

  it("keeps its files during a library check, even if another tool has deleted its row", async () => {
    await recordFile({ bucket: "videos", path: "up/1.mp4", videoId: "v", kind: "video" });
    await preserveReport("r", "u");
    sqliteHandle().exec("DELETE FROM videos");
    const old = new Date(Date.now() - 40 * DAY_MS);
    fs.utimesSync(path.join(site.uploads, VIDEO), old, old);
    const { stray } = await checkLibrary();
    expect(await quarantineStray(stray, Date.now() + 40 * DAY_MS)).toEqual([]);
    expect(exists(VIDEO)).toBe(true);
    sqliteHandle().exec("UPDATE preserved_reports SET until = '2020-01-01'");
    const later = await checkLibrary();
    expect(await quarantineStray(later.stray, Date.now() + 40 * DAY_MS)).toHaveLength(1);
  });

  it("keeps the report's text if the preservation starts just before the text is due to be erased", async () => {
    const due = reportsToErase();
    await preserveReport("r", "u");
    expect(await transaction(() => due.map((id) => eraseReport(id)))).toEqual([false]);
    expect(readMessages("r")).toHaveLength(1);
  });

  it("keeps its other files when another tool deletes its row", async () => {
    sqliteHandle().exec(
      `INSERT INTO video_files (id, video_id, state) VALUES ('f', 'v', 'earlier')`,
    );
    await preserveReport("r", "u");
    sqliteHandle().exec("DELETE FROM videos");
    await emptyTrash();
    expect(sqliteHandle().prepare("SELECT state FROM video_files").pluck().all()).toEqual([
      "earlier",
    ]);
  });

  it("keeps the report's text even if the reporter requests its deletion", async () => {
    expect(reportsToErase()).toEqual(["r"]);
    await preserveReport("r", "u");
    expect(reportsToErase()).toEqual([]);
    expect(await eraseClosedReport("r", "u")).toMatchObject({
      status: 409,
      detail: expect.stringContaining("preserved until"),
    });
    expect(reportsToErase(Date.now() + 366 * DAY_MS)).toEqual(["r"]);
  });

  it("is preserved when it is added to a report that is already preserved", async () => {
    addVideo({ id: "w", title: "Another" });
    await preserveReport("r", "u");
    await addVideosToReport("r", "w", "u");
    await removeVideos(["w"], "u");
    expect(await purge(["w"])).toEqual([]);
  });

  it("stays preserved as long as any report about it is preserved", async () => {
    const payload = { name: "", email: "", where: "", what: "It is wrong.", statements: [] };
    await transaction(() => createReport({ id: "s", kind: "other", videos: ["v"], payload }));
    await preserveReport("r", "u");
    await preserveReport("s", "u");
    await send({ intent: "end-preservation" });
    await removeVideos(["v"], "u");
    expect(await purge(["v"])).toEqual([]);
  });

  it("can be preserved by anyone who can decide on reports, but only owners can end the preservation", async () => {
    sqliteHandle().exec(
      "INSERT INTO users (id, email, password_hash, role) VALUES ('ed', 'ed@b.c', 'x', 'editor')",
    );
    const editor = (await openSession("ed")).split(";")[0] ?? "";
    expect(await send({ intent: "preserve" }, editor)).toBe(302);
    expect(await send({ intent: "end-preservation" }, editor)).toBe(403);
  });

  it("keeps its remaining files if another tool has deleted its row before the preservation", async () => {
    await recordFile({ bucket: "videos", path: "up/1.mp4", videoId: "v", kind: "video" });
    sqliteHandle().exec("DELETE FROM videos");
    await preserveReport("r", "u");
    await transaction(() =>
      enqueueRemovals([{ bucket: "videos", path: "up/1.mp4" }], { reason: "deleted" }),
    );
    await removeFiles();
    expect(exists(VIDEO)).toBe(true);
  });
});

describe("a report whose videos were deleted", () => {
  beforeEach(() => sqliteHandle().exec("DELETE FROM videos; DELETE FROM report_videos"));

  it("can be preserved, together with its text and log", async () => {
    expect(reportsToErase()).toEqual(["r"]);
    expect(await send({ intent: "preserve" })).toBe(302);
    expect(reportsToErase()).toEqual([]);
    expect(await eraseClosedReport("r", "u")).toMatchObject({ status: 409 });
    expect(readReportPage("r")).toMatchObject({
      videos: [],
      preservedUntil: expect.any(String),
      entries: [{ action: "preserve" }],
    });
    expect(await send({ intent: "end-preservation" })).toBe(302);
    expect(reportsToErase()).toEqual(["r"]);
  });

  it("can be exported", async () => {
    await preserveReport("r", "u");
    const folder = await unpacked(await reportArchive(readReport("r")!));
    expect(JSON.parse(fs.readFileSync(path.join(folder, "report.json"), "utf8"))).toMatchObject({
      preservedUntil: expect.any(String),
      report: { id: "r", payload: { what: "It is wrong." } },
      messages: [{ text: "Look at 0:40." }],
      log: [{ action: "preserve", video_id: null }],
      videos: [],
    });
  });

  it("can be preserved only if it exists", async () => {
    expect(await preserveReport("no report", "u")).toMatchObject({ status: 404 });
  });
});

it("a preserved report keeps the messages to the uploader until the preservation ends", async () => {
  const decision =
    "INSERT INTO uploader_decisions (user_id, video_id, report_id, decision, decided_at, payload)";
  sqliteHandle().exec(`${decision} VALUES ('u', 'v', 'r', 'remove', '2020-01-01', '')`);
  await preserveReport("r", "u");
  expect(await deleteOldDecisions()).toBe(0);
  sqliteHandle().exec("UPDATE preserved_reports SET until = '2020-01-01'");
  expect(await deleteOldDecisions()).toBe(1);
});

async function unpacked(archive: NodeJS.ReadableStream | undefined): Promise<string> {
  const folder = fs.mkdtempSync(path.join(site.uploads, "archive-"));
  const file = path.join(folder, "archive.zip");
  await fs.promises.writeFile(file, archive!);
  const script = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
  execFileSync("python3", ["-c", script, file, folder]);
  return folder;
}

describe("a report's archive", () => {
  const download = async (id: string, cookie: string) =>
    archiveAction({
      request: new Request(`${ORIGIN}/admin/reports/${id}/archive`, {
        method: "POST",
        headers: { Cookie: cookie, Origin: ORIGIN, Host: "localhost" },
      }),
      params: { id },
      context: {},
    }).catch((thrown: unknown) => thrown as Response);

  it("contains the text, rows and files, with their digests", async () => {
    writeUpload(site.uploads, "videos/up/0.mp4");
    sqliteHandle().exec(`INSERT INTO video_files (id, video_id, state, video_url, replaced_at)
      VALUES ('f', 'v', 'earlier', '/media/videos/up/0.mp4', '2026-01-01');
      UPDATE videos SET captions = '[{"language":"en","label":"English","url":"/media/videos/up/1/en.vtt"}]'`);
    writeUpload(site.uploads, "videos/up/1/en.vtt");
    await preserveReport("r", "u");
    await removeVideos(["v"], "u");
    const folder = await unpacked(await reportArchive(readReport("r")!));
    const document = JSON.parse(fs.readFileSync(path.join(folder, "report.json"), "utf8"));
    expect(document).toMatchObject({
      report: { id: "r", kind: "under-age", payload: { name: "Ann", what: "It is wrong." } },
      messages: [{ text: "Look at 0:40." }],
      log: [{ action: "preserve" }],
      videos: [{ id: "v", row: { title: "A video" }, otherVideos: [{ id: "f" }] }],
    });
    const sums = fs.readFileSync(path.join(folder, "SHA256SUMS"), "utf8").trim().split("\n");
    expect(sums.map((line) => line.slice(66)).sort()).toEqual([
      "report.json",
      "videos/up/0.mp4",
      "videos/up/1.mp4",
      "videos/up/1/en.vtt",
    ]);
    for (const line of sums) {
      const bytes = fs.readFileSync(path.join(folder, line.slice(66)));
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(line.slice(0, 64));
    }
  });

  it("can be downloaded only by owners, and each download is logged", async () => {
    sqliteHandle().exec(
      "INSERT INTO users (id, email, password_hash, role) VALUES ('ed', 'ed@b.c', 'x', 'editor')",
    );
    const editor = (await openSession("ed")).split(";")[0] ?? "";
    expect((await download("r", editor)).status).toBe(403);
    expect((await download("nobody", adminCookie())).status).toBe(404);
    const response = await download("r", adminCookie());
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="report-r.zip"');
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(settings().siteName.length);
    const log = sqliteHandle().prepare("SELECT action, user_id AS userId FROM moderation_log");
    expect(log.all()).toEqual([{ action: "export", userId: "u" }]);
  });
});
