import { beforeEach, describe, expect, it } from "vitest";
import { deleteExpiredRows, startDeletingExpiredRows } from "~/expired-rows.server";
import { sqliteHandle } from "~db/client.server";
import { useAdminSite } from "../../admin-requests";

useAdminSite();
const NOW = Date.parse("2030-06-15T12:00:00.000Z");
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ago = (ms: number) => new Date(NOW - ms).toISOString();
const run = (sql: string, ...values: unknown[]) =>
  sqliteHandle()
    .prepare(sql)
    .run(...values);
const left = (sql: string) => sqliteHandle().prepare(sql).pluck().all();

describe("the hourly cleanup of expired rows", () => {
  beforeEach(() => {
    run("DELETE FROM sessions");
    run(
      `INSERT INTO api_tokens (id, token_hash, user_id, name, scopes, created_at, expires_at)
       VALUES (1, 'h', 'u', 'n', '[]', '2030-01-01', '2099-01-01')`,
    );
  });

  const invitation = (email: string, expiredMs: number, used: string | null) =>
    run(
      `INSERT INTO invitations (token_hash, email, role, invited_by, created_at, expires_at, used_at)
       VALUES (@email, @email, 'editor', 'u', '2030-01-01', @expires, @used)`,
      { email, expires: ago(expiredMs), used },
    );
  const storedResponse = (key: string, ageMs: number) =>
    run(
      `INSERT INTO api_answers (token_id, key, request, status, headers, body, created_at)
       VALUES (1, ?, '', 200, '{}', '', ?)`,
      key,
      ago(ageMs),
    );
  const published = (upload: string, ageMs: number) =>
    run("INSERT INTO published_uploads VALUES (?, 'u', '{}', ?)", upload, ago(ageMs));
  const template = (name: string, deletedAt: string | null) =>
    run(
      "INSERT INTO upload_templates (user_id, name, deleted_at) VALUES ('u', ?, ?)",
      name,
      deletedAt,
    );
  const download = (address: string, state: string, finishedAt: string | null) =>
    run(
      `INSERT INTO downloads (user_id, address, texts, status, state, created_at, finished_at)
       VALUES ('u', ?, '{}', 'review', ?, '2030-01-01', ?)`,
      address,
      state,
      finishedAt,
    );
  const session = (id: string, expiresAt: string) =>
    run("INSERT INTO sessions (id_hash, user_id, expires_at) VALUES (?, 'u', ?)", id, expiresAt);
  const challenge = (hash: string, expiresAt: string) =>
    run("INSERT INTO spent_challenges VALUES (?, ?)", hash, expiresAt);

  it("deletes invitations 30 days after they expire, whether or not they were used", async () => {
    invitation("old@b.c", 30 * DAY_MS, null);
    invitation("used@b.c", 31 * DAY_MS, ago(32 * DAY_MS));
    invitation("expired@b.c", 29 * DAY_MS, null);
    invitation("open@b.c", -DAY_MS, null);
    await deleteExpiredRows(NOW);
    expect(left("SELECT email FROM invitations ORDER BY email")).toEqual([
      "expired@b.c",
      "open@b.c",
    ]);
  });

  it("deletes stored API responses after a day", async () => {
    storedResponse("old", DAY_MS);
    storedResponse("new", DAY_MS - 1);
    await deleteExpiredRows(NOW);
    expect(left("SELECT key FROM api_answers")).toEqual(["new"]);
  });

  it("deletes the stored outcomes of publish requests after a week", async () => {
    published("old", 7 * DAY_MS);
    published("new", 7 * DAY_MS - 1);
    await deleteExpiredRows(NOW);
    expect(left("SELECT upload FROM published_uploads")).toEqual(["new"]);
  });

  it("purges templates 30 days after they were deleted", async () => {
    template("old", ago(30 * DAY_MS));
    template("deleted", ago(29 * DAY_MS));
    template("used", null);
    await deleteExpiredRows(NOW);
    expect(left("SELECT name FROM upload_templates ORDER BY name")).toEqual(["deleted", "used"]);
  });

  it("deletes imports from URLs 30 days after they ended, but keeps queued imports", async () => {
    for (const state of ["done", "failed", "canceled"]) {
      download(`old ${state}`, state, ago(30 * DAY_MS));
    }
    download("recent", "done", ago(29 * DAY_MS));
    download("waiting", "waiting", null);
    await deleteExpiredRows(NOW);
    expect(left("SELECT address FROM downloads ORDER BY address")).toEqual(["recent", "waiting"]);
  });

  it("deletes expired sessions and passkey challenges", async () => {
    session("old", ago(0));
    session("open", ago(-1));
    challenge("old", ago(0));
    challenge("open", ago(-1));
    await deleteExpiredRows(NOW);
    expect(left("SELECT id_hash FROM sessions")).toEqual(["open"]);
    expect(left("SELECT hash FROM spent_challenges")).toEqual(["open"]);
  });

  it("runs when the site starts", async () => {
    session("old", "2020-01-01T00:00:00.000Z");
    startDeletingExpiredRows();
    await expect.poll(() => left("SELECT id_hash FROM sessions")).toEqual([]);
  });
});
