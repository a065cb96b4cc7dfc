import fs from "node:fs";
import path from "node:path";
import type { Statement } from "better-sqlite3";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";
import { fillLibrary } from "./large-library";
import { CONSTANT_WORK, PERIODIC_WORK } from "./periodic-work";

/**
 * Periodic work runs on the thread that serves requests, so none of its statements may read all rows of a table that
 * grows with the catalogue.
 */

/** SQLite chooses the same plans for any number of rows, because the site doesn't collect statistics. */
const VIDEOS = 1_200;

/** Tables that have a single row or at most a few hundred rows. */
const SMALL_TABLES =
  /^(?:alerts|backups|catalogue_version|invitations|preserved_reports|preserved_videos|queue_state|spent_challenges|storage|video_totals)$/;
/** Values listed in the statement, and rows that an earlier, limited step of the plan has read. */
const NO_TABLES = /^(?:json_each|requested|given|CONSTANT|\d+-ROW|\(subquery-\d+\))$/;
/** A lookup of the rows that belong to one video, job or report. */
const KEY = /\b(?:(?:video_|report_|alert_|performer_)?id|rowid|number|first|second|path)=\?/;

/**
 * Other plan steps that read few rows: a part of the step, a part of its statement, and the reason why it reads few
 * rows.
 */
const FEW_ROWS: readonly (readonly [step: string, sql: string, why: string])[] = [
  ["SEARCH video_changes", "max(seq)", "the first and the last row of the index"],
  ["SEARCH videos", "max(number)", "the first and the last row"],
  ["videos USING INTEGER PRIMARY KEY (rowid>?)", "number >= ? ORDER BY number LIMIT 1", "one row"],

  ["jobs_by_state (state=?)", "state = 'running'", "as many as there are workers"],
  [
    "jobs_by_state (state=?)",
    "kind = 'ladder' AND state = 'failed'",
    "only after a job has failed",
  ],
  ["videos_by_video_url (video_url=?)", "kind = 'ladder' AND state = 'failed'", "the same"],
  ["jobs_by_state (state=? AND finished_at>?)", "count(*)", "failed since the last alert"],
  ["jobs_by_state (state=? AND finished_at<?)", "LIMIT 3", "three, and only for a new alert"],
  ["jobs_unfinished (priority<?)", "LIMIT 1", "nearly every job that is due can be claimed"],

  [
    "media_files USING PRIMARY KEY",
    "SELECT path FROM media_files WHERE bucket = ? AND path > ?",
    "500 of a folder that has changed, then it yields to other work",
  ],
  ["videos_by_publish_at (publish_at<?)", "LIMIT @limit", "due since the last second"],
  ["videos_by_unpublish_at (unpublish_at<?)", "LIMIT @limit", "due since the last second"],
  ["deleted_videos_by_age (deleted_at<?)", "LIMIT @limit", "due since the last minute"],
  ["video_files_by_age (state=? AND replaced_at<?)", "LIMIT @limit", "due since the last minute"],
  ["video_files_by_age (state=?)", "state = 'pending'", "files being replaced"],
  ["removals_due (not_before>? AND not_before<?)", "LIMIT 100", "one batch of due rows"],
  ["SCAN performer_documents", "stored = 0", "added since the last round"],
  ["video_consents_by_end (ends_on<?)", "LIMIT 32", "records that have ended"],
  [
    "video_consents_by_expiry_alert (expiry_alert_id=? AND ends_on>? AND ends_on<?)",
    "LIMIT 1000",
    "at most 1,000",
  ],
  ["reports_to_erase (closed_at>? AND closed_at<?)", "LIMIT 100", "due since the last minute"],
  [
    "reports_by_urgent_alert (urgent_alert_id=? AND due_at>? AND due_at<?)",
    "LIMIT 1000",
    "at most 1,000",
  ],
  [
    "reports_by_due_alert (due_alert_id=? AND due_at>? AND due_at<?)",
    "LIMIT 1000",
    "at most 1,000",
  ],
  [
    "reports_by_overdue_alert (overdue_alert_id=? AND due_at>? AND due_at<?)",
    "LIMIT 1000",
    "at most 1,000",
  ],
  ["reports_by_state_kind (state=? AND kind=?)", "LIMIT @limit", "at most 1,000"],
  ["uploader_decisions_by_time (decided_at<?)", "LIMIT 200", "due, or of a report that is open"],
  ["accepted_terms_gone (video_gone_at<?)", "DELETE", "due since the last minute"],
  ["outbox_reports_due (next_at<?)", "limit ?", "messages that are due"],
  ["outbox_alerts_due (next_at<?)", "limit ?", "messages that are due"],
  ["blocked_videos_waiting", "LIMIT 1", "blocked just now"],
  ["sessions_by_expiry (expires_at<?)", "delete", "expired since the last hour"],
  ["devices_by_use (used_at<?)", "delete", "the same"],
  ["api_answers_by_age (created_at<?)", "delete", "the same"],
  ["published_uploads_by_age (published_at<?)", "delete", "the same"],
  ["upload_templates_deleted (deleted_at<?)", "DELETE", "the same"],
  ["downloads_finished (finished_at<?)", "delete", "the same"],
  ["blocked_videos_removed (removed_at<?)", "LIMIT 32", "due since the last minute"],
  ["blocked_videos_titled (blocked_at<?)", "LIMIT 32", "due since the last minute"],
  ["block_list_matches_by_video (blocked_video_id=?)", "removed_at <= ?", "a few of one entry"],
  ["blocked_files_by_video (blocked_video_id=?", "LIMIT 200", "one batch of one list"],
  ["blocked_md5s_by_video (blocked_video_id=?", "LIMIT 200", "one batch of one list"],
  [
    "blocked_files_by_video (blocked_video_id=?)",
    "DELETE FROM blocked_videos",
    "no remaining rows",
  ],
  ["blocked_md5s_by_video (blocked_video_id=?)", "DELETE FROM blocked_videos", "no remaining rows"],
  ["stored_files_by_object (object=?)", "object = ?", "the files of one object"],
  ["media_files_due ((bucket,path)>(?,?))", "LIMIT 100", "one batch of rows"],

  ["SCAN scan_findings", "count(*)", "findings without a decision"],
  ["video_holds_comparing (video_id>?)", "LIMIT 1000", "one batch"],
  ["video_files_by_video ((video_id,id)>(?,?))", "LIMIT", "one batch"],
  ["SCAN part", "LIMIT 2000", "the same part"],
  ["SCAN urgent", "LIMIT @limit", "at most 1,000"],
  ["accepted_terms USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", "UPDATE", "one batch"],
  ["SEARCH accepted_terms", "max(id)", "the last row"],
  ["videos USING INTEGER PRIMARY KEY (rowid>?)", "limit ?", "one batch"],
  ["missing_files USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", "DELETE", "of that batch"],
  ["activities USING INTEGER PRIMARY KEY (rowid<?)", "delete", "rows beyond the limit"],
  ["transfer_days USING PRIMARY KEY (day>? AND day<?)", "sum(bytes)", "the days of a month"],
  ["disk_days USING PRIMARY KEY (day<?)", "DELETE", "rows beyond the limit"],
];

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({
    // Without these settings, some of the work would end before running any statement.
    ALERT_EMAIL: "operator@example.com",
    SMTP_URL: "smtp://127.0.0.1:9",
    ENCODER_CODECS: "h264,av1",
    LITESTREAM: "on",
  });
  const store = path.join(site.folder, "store");
  const backups = path.join(site.folder, "backups");
  for (const folder of [store, backups]) fs.mkdirSync(folder);
  Object.assign(process.env, { STORAGE_URL: `file://${store}`, BACKUP_DIR: backups });
  forgetSettings();
});
afterEach(() => site.remove());

it("tests every file that has periodic work", () => {
  const files = ["app", "db"].flatMap((folder) =>
    fs
      .readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file}`),
  );
  const withWork = files.filter(
    (file) =>
      /^db\/.*\.ts$|\.server\.ts$/.test(file) &&
      /(?<![.\w]|function )every\(/.test(fs.readFileSync(file, "utf8")),
  );
  expect(Object.keys(PERIODIC_WORK).sort()).toEqual(withWork.sort());
});

it("reads only a few rows during periodic work, regardless of the number of videos", async () => {
  fillLibrary(VIDEOS);
  writeRecordedFiles();
  const found: string[] = [];
  const used = new Set<unknown>();
  for (const [name, work] of Object.entries({ ...PERIODIC_WORK, ...CONSTANT_WORK })) {
    if (typeof work === "string") continue;
    const executed = await executedBy(work);
    expect(executed.size, `${name} executes no statement`).toBeGreaterThan(0);
    for (const [sql, values] of executed) {
      for (const step of stepsOf(sql, values)) {
        const known = FEW_ROWS.find(([part, text]) => step.includes(part) && sql.includes(text));
        if (known) used.add(known);
        else found.push(`${name}: ${step}\n${sql}`);
      }
    }
  }
  expect(found).toEqual([]);
  const statistics = "SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'";
  expect(sqliteHandle().prepare(statistics).all(), "plans depend on the number of rows").toEqual(
    [],
  );
  expect(FEW_ROWS.filter((known) => !used.has(known))).toEqual([]);
}, 120_000);

/** Creates the files that are recorded in the database, because nothing is removed while any of them is missing. */
function writeRecordedFiles(): void {
  const recorded = sqliteHandle()
    .prepare("SELECT bucket, path FROM media_files WHERE kind <> 'derived'")
    .all() as { bucket: string; path: string }[];
  for (const { bucket, path: name } of recorded) {
    const file = path.join(site.uploads, bucket, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "");
  }
}

/**
 * Returns the statements that the work executes on the connection, each with some of the values that were bound to it.
 */
async function executedBy(work: () => unknown): Promise<Map<string, unknown[]>> {
  const executed = new Map<string, unknown[]>();
  const prototype = Object.getPrototypeOf(sqliteHandle().prepare("SELECT 1")) as Statement;
  const spies = (["run", "get", "all", "iterate"] as const).map((method) => {
    const original = prototype[method] as (...values: unknown[]) => unknown;
    return vi.spyOn(prototype, method).mockImplementation(function (this: Statement, ...values) {
      executed.set(this.source, values);
      return original.apply(this, values) as never;
    });
  });
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return executed;
}

/** Returns the steps of a statement's plan that may read many rows. */
function stepsOf(sql: string, values: unknown[]): string[] {
  if (!/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(sql)) return [];
  const plan = sqliteHandle()
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...values) as { detail: string }[];
  return plan
    .map(({ detail }) => detail)
    .filter((detail) => {
      const [, read, table = ""] = /^(SCAN|SEARCH) (\S+)/.exec(detail) ?? [];
      if (!read || SMALL_TABLES.test(table) || NO_TABLES.test(table)) return false;
      return read === "SCAN" || !KEY.test(detail);
    });
}
