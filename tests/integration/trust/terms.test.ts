import { beforeEach, describe, expect, it } from "vitest";
import { loader as adminLoader } from "~/features/library/routes/admin";
import { readReportPage } from "~/features/moderation/reports/report-page.server";
import { createReport } from "~/features/moderation/reports/report-records.server";
import { action, loader } from "~/features/moderation/routes/terms";
import { DEFAULT_TERMS } from "~/features/moderation/uploaders/terms";
import {
  deleteOldAcceptances,
  findAcceptances,
  listTerms,
  readTerms,
  requiredTerms,
  requireTerms,
  saveTerms,
  storeAcceptance,
} from "~/features/moderation/uploaders/terms.server";
import { openSession } from "~/features/permissions/session.server";
import { removeVideos } from "~/features/trash/remove.server";
import { purge } from "~/features/trash/trash.server";
import { listActivities } from "~/platform/activity/activity.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { addVideo, adminCookie, useAdminSite } from "../../admin-requests";

useAdminSite();
const ORIGIN = "http://localhost";
const DAY_MS = 24 * 3_600_000;
const NOW = Date.now();
let uploaderCookie: string;
beforeEach(async () => {
  sqliteHandle().exec(
    "INSERT INTO users (id, email, password_hash, role) VALUES ('up', 'up@b.c', 'x', 'uploader')",
  );
  uploaderCookie = (await openSession("up")).split(";")[0] ?? "";
});

/** Submits the form. Returns the status and the reason why nothing was saved. */
async function send(fields: Record<string, string>, as = adminCookie()) {
  const request = new Request(`${ORIGIN}/admin/terms`, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { Cookie: as, Origin: ORIGIN },
  });
  const response = (await action({ request, params: {}, context: {} }).catch((thrown) => thrown)) as
    | Response
    | { data: { error: { detail: string }; text?: string }; init: { status: number } };
  if (response instanceof Response) return { status: response.status };
  const { error, text } = response.data;
  return { status: response.init.status, detail: error.detail, text };
}
const write = (text: string, version: number) =>
  send({ intent: "write", text, version: String(version) });
const load = (query = "", as = adminCookie()) =>
  loader({
    request: new Request(`${ORIGIN}/admin/terms${query}`, { headers: { Cookie: as } }),
    params: {},
    context: {},
  });

describe("the terms", () => {
  it("get a new version if their text changes, but not if it stays the same", async () => {
    expect(await load()).toMatchObject({ versions: [], requiredSince: null });
    expect((await write(DEFAULT_TERMS.replaceAll("\n", "\r\n"), 0)).status).toBe(302);
    expect((await write(`${DEFAULT_TERMS}\n`, 1)).status).toBe(302);
    expect((await write("Shorter.", 1)).status).toBe(302);
    expect(await load()).toMatchObject({
      shown: { version: 2, text: "Shorter." },
      versions: [{ version: 2, by: "a@b.c" }, { version: 1 }],
    });
    expect(await load("?version=1")).toMatchObject({ shown: { version: 1, text: DEFAULT_TERMS } });
    const activities = (await listActivities()).map(({ action, detail }) => [action, detail]);
    expect(activities).toEqual([
      ["terms-write", "version 2"],
      ["terms-write", "version 1"],
    ]);
  });

  it("are not overwritten by an owner who hasn't read the latest version", async () => {
    await write("One.", 0);
    await write("Two.", 1);
    expect(await write("Mine.", 1)).toEqual({
      status: 409,
      detail: "Someone saved a newer version in the meantime. Read it first.",
      text: "Mine.",
    });
    expect((await write("Two.", 1)).status).toBe(302);
    expect(listTerms()).toHaveLength(2);
  });

  it("are rejected if they are empty or too long, and the form keeps the text", async () => {
    expect(await write(" \r\n ", 0)).toMatchObject({ status: 422, detail: "Enter the terms." });
    const long = "x".repeat(20_001);
    expect(await write(long, 0)).toEqual({
      ...{ status: 422, detail: "Use at most 20,000 characters.", text: long },
    });
    expect((await send({ intent: "else" })).status).toBe(400);
  });

  it("can never be changed or deleted", async () => {
    await write("One.", 0);
    for (const sql of [
      "UPDATE upload_terms SET text = 'Other.'",
      "DELETE FROM upload_terms",
      "INSERT OR REPLACE INTO upload_terms VALUES (1, 'Other.', '2030-01-01', NULL)",
    ]) {
      expect(() => sqliteHandle().exec(sql), sql).toThrow(/a version of the terms is never/);
    }
    expect(readTerms()?.text).toBe("One.");
  });

  it("are required once an owner turns the requirement on, until an owner turns it off", async () => {
    expect(await send({ intent: "require", required: "1" })).toMatchObject({ status: 422 });
    await write("One.", 0);
    expect(requiredTerms()).toBeUndefined();
    expect((await send({ intent: "require", required: "1" })).status).toBe(302);
    expect((await send({ intent: "require", required: "1" })).status).toBe(302);
    expect(requiredTerms()).toMatchObject({ version: 1, text: "One." });
    await write("Two.", 1);
    expect(requiredTerms()?.version).toBe(2);
    await send({ intent: "require", required: "0" });
    expect(requiredTerms()).toBeUndefined();
    const activities = (await listActivities()).map(({ action }) => action);
    expect(activities).toEqual(["terms-off", "terms-write", "terms-on", "terms-write"]);
  });

  it("are written by owners, can be read by uploaders, and return 404 for unknown versions", async () => {
    await write("One.", 0);
    expect(await load("", uploaderCookie)).toMatchObject({ shown: { text: "One." } });
    const forms: Record<string, string>[] = [
      { intent: "write", text: "Mine.", version: "1" },
      { intent: "require", required: "0" },
    ];
    for (const fields of forms) {
      expect((await send(fields, uploaderCookie)).status).toBe(403);
    }
    for (const none of ["2", "0", "x", ""]) {
      await expect(load(`?version=${none}`)).rejects.toMatchObject({ status: 404 });
    }
  });
});

describe("accepted terms", () => {
  const accept = (videoId: string, version = 1, subject: "video" | "file" = "video") =>
    transaction(() =>
      storeAcceptance(videoId, subject, "up", {
        version,
        acceptedAt: new Date(NOW).toISOString(),
      }),
    );
  const kept = () => sqliteHandle().prepare("SELECT video_id FROM accepted_terms").pluck().all();

  it("are listed in the edit dialog and on a report's page, even if none were accepted", async () => {
    addVideo({ uploaded_by: "up" });
    addVideo({ id: "w", uploaded_by: "of another program" });
    const payload = { name: "", email: "", where: "", what: "", statements: [] };
    await transaction(() => createReport({ id: "r", kind: "other", videos: ["v", "w"], payload }));
    const shown = () => readReportPage("r")?.videos.map(({ accepted }) => accepted);
    // There have never been any terms, so nothing is shown.
    expect(shown()).toEqual([undefined, undefined]);
    await saveTerms("One.", 0, "u");
    await saveTerms("Two.", 1, "u");
    await accept("v");
    await accept("v", 2, "file");
    const at = new Date(NOW).toISOString();
    const accepted = [
      { version: 1, subject: "video", by: "up@b.c", at },
      { version: 2, subject: "file", by: "up@b.c", at },
    ];
    expect(shown()).toEqual([accepted, []]);
    const request = (id: string) =>
      new Request(`${ORIGIN}/admin?tab=manage&edit=${id}`, { headers: { Cookie: adminCookie() } });
    const edited = (await adminLoader({ request: request("v"), params: {}, context: {} })) as never;
    expect(edited).toMatchObject({ data: { manage: { accepted } } });
    const other = (await adminLoader({ request: request("w"), params: {}, context: {} })) as never;
    expect(other).toMatchObject({ data: { manage: { accepted: [] } } });
  });

  it("are kept while the video is edited or in the trash, and for a year after anyone deletes it", async () => {
    await saveTerms("One.", 0, "u");
    for (const id of ["v", "w", "x"]) {
      addVideo({ id, uploaded_by: "up" });
      await accept(id);
    }
    await requireTerms(false, "u");
    sqliteHandle().exec("UPDATE videos SET title = 'Other', uploaded_by = NULL WHERE id = 'v'");
    await removeVideos(["v", "w"], "up");
    expect(await deleteOldAcceptances(0, NOW)).toBe(0);
    expect(findAcceptances(["v"])?.v).toHaveLength(1);
    await purge(["v"]);
    // Another tool deletes a video without using the trash.
    sqliteHandle().exec("DELETE FROM videos WHERE id = 'x'");
    await deleteOldAcceptances(0, NOW);
    await deleteOldAcceptances(0, NOW + 364 * DAY_MS);
    expect(kept()).toEqual(["v", "w", "x"]);
    // The video exists again, as it does after a backup is restored.
    addVideo({ id: "x" });
    await deleteOldAcceptances(0, NOW + 366 * DAY_MS);
    expect(kept()).toEqual(["w", "x"]);
  });

  it("are cleaned up in batches", async () => {
    await saveTerms("One.", 0, "u");
    sqliteHandle().exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
       INSERT INTO accepted_terms (video_id, subject, version, user_id, accepted_at)
       SELECT 'gone-' || i, 'video', 1, 'up', '2026-01-01T00:00:00.000Z' FROM n`,
    );
    expect(await deleteOldAcceptances(0, NOW)).toBe(500);
    expect(await deleteOldAcceptances(500, NOW)).toBe(1_000);
    expect(await deleteOldAcceptances(1_000, NOW)).toBe(0);
    const gone = "SELECT count(*) FROM accepted_terms WHERE video_gone_at IS NOT NULL";
    expect(sqliteHandle().prepare(gone).pluck().get()).toBe(1_200);
  });

  it("are stored only in the transaction that stores their video", () => {
    expect(() =>
      storeAcceptance("v", "video", "up", { version: 1, acceptedAt: "2026-01-01T00:00:00.000Z" }),
    ).toThrow("in a transaction");
  });
});
