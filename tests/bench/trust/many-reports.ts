import { randomUUID } from "node:crypto";
import { encryptPayload } from "~/features/consent/validity.server";
import { encryptMessage, encryptReport } from "~/features/moderation/reports/report-records.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { sqliteHandle } from "~db/client.server";
import { REPORT_KINDS } from "~db/schema/moderation";
import { randomFrom } from "../catalogue/generated-videos";

export const REPORTS = 100_000;
/** The percentages of open reports and of reports with an open question. All others are closed. */
const OPEN_PERCENT = 10;
const ASKED_PERCENT = 2;
const PERFORMERS = 10_000;
const TWO_YEARS_MS = 730 * 86_400_000;
const HOUR_MS = 3_600_000;
const ROWS_PER_TRANSACTION = 10_000;

/** The day on which the consent records for every tenth video expire. */
export const LAST_DAY = "2099-12-31";

/** Returns a report ID that is as long as real ones. */
export const reportId = (number: number) => `report-${String(number).padStart(15, "0")}`;

/**
 * Fills the moderation queue with two years of reports: 100,000 reports with their messages and log entries, and, for
 * each video, a consent record with one of 10,000 performers.
 */
export function fillReports(now: number): void {
  const random = randomFrom(16);
  const sqlite = sqliteHandle();
  const videos = sqlite.prepare("SELECT id FROM videos ORDER BY number").pluck().all() as string[];
  const addReport = sqlite.prepare(
    `INSERT INTO reports (id, kind, state, decision, received_at, due_at, closed_at, payload)
     VALUES (@id, @kind, @state, @decision, @receivedAt, @dueAt, @closedAt, @payload)`,
  );
  const addVideo = sqlite.prepare(
    "INSERT INTO report_videos (report_id, video_id, decision, decided_at) VALUES (?, ?, ?, ?)",
  );
  const addMessage = sqlite.prepare(
    "INSERT INTO report_messages (id, report_id, author, sent_at, payload) VALUES (?, ?, 'moderator', ?, ?)",
  );
  const iso = (ms: number) => new Date(ms).toISOString();
  inBatches(REPORTS, (number) => {
    const id = reportId(number);
    const kind = REPORT_KINDS[Math.floor(random() * REPORT_KINDS.length)]!;
    const videoId = videos[Math.floor(random() * videos.length)]!;
    const receivedMs = now - TWO_YEARS_MS + Math.floor((number / REPORTS) * TWO_YEARS_MS);
    const share = random() * 100;
    const state =
      share < OPEN_PERCENT ? "open" : share < OPEN_PERCENT + ASKED_PERCENT ? "asked" : "closed";
    const closedMs = receivedMs + Math.floor(random() * 48) * HOUR_MS;
    const isClosed = state === "closed";
    const decision = random() < 0.5 ? "keep" : "remove";
    addReport.run({
      ...{ id, kind, state },
      decision: isClosed ? decision : null,
      receivedAt: iso(receivedMs),
      dueAt: iso(receivedMs + 48 * HOUR_MS),
      closedAt: isClosed ? iso(closedMs) : null,
      payload: encryptReport({
        ...{ name: "A Reporter", email: "reporter@example.com", statements: ["It is true."] },
        where: `https://videos.example/video/${videoId}`,
        what: "A description of the problem with this video. ".repeat(8),
      }),
    });
    addVideo.run(id, videoId, isClosed ? decision : null, isClosed ? iso(closedMs) : null);
    appendToLog({ action: "received", reportId: id, videoId, detail: { kind } }, receivedMs);
    if (isClosed) {
      addMessage.run(
        randomUUID(),
        id,
        iso(closedMs),
        encryptMessage("The reason for the decision. ".repeat(8)),
      );
      appendToLog({ action: decision, reportId: id, videoId, detail: { kind } }, closedMs);
    }
  });
  addRecords(videos);
}

function addRecords(videos: readonly string[]): void {
  const sqlite = sqliteHandle();
  const performer = sqlite.prepare(
    `INSERT INTO performers (id, stage_names, sort_name, payload, document_kind, checked_on, created_at, updated_at)
     VALUES (@id, @name, @name, @payload, 'passport', '2020-01-01', '2020-01-01', '2020-01-01')`,
  );
  const document = sqlite.prepare(
    `INSERT INTO performer_documents (id, performer_id, kind, type, bytes, file_key, added_at)
     VALUES (?, ?, 'identity', 'application/pdf', 1, 'x', '2020-01-01')`,
  );
  inBatches(PERFORMERS, (number) => {
    const payload = encryptPayload({
      legalName: `Legal Name ${number}`,
      dateOfBirth: "1990-01-01",
    });
    performer.run({ id: `performer-${number}`, name: `name ${number}`, payload });
    document.run(randomUUID(), `performer-${number}`);
  });
  const consent = sqlite.prepare(
    `INSERT INTO video_consents (video_id, kind, people, recorded_on, ends_on, updated_at)
     VALUES (?, 'own', 1, '2020-01-01', ?, '2020-01-01')`,
  );
  const shown = sqlite.prepare(
    "INSERT INTO video_performers (video_id, performer_id, of_age) VALUES (?, ?, 1)",
  );
  inBatches(videos.length, (number) => {
    consent.run(videos[number], number % 10 === 0 ? LAST_DAY : null);
    shown.run(videos[number], `performer-${number % PERFORMERS}`);
  });
}

function inBatches(count: number, work: (number: number) => void): void {
  for (let first = 0; first < count; first += ROWS_PER_TRANSACTION) {
    sqliteHandle().transaction(() => {
      for (let at = first; at < Math.min(count, first + ROWS_PER_TRANSACTION); at += 1) work(at);
    })();
  }
}
