import { randomUUID } from "node:crypto";
import { holdExpired } from "~/features/consent/consent-holds.server";
import { refusalsOf, updateConsentHolds } from "~/features/consent/validity.server";
import { changeVideos } from "~/features/library/bulk/bulk.server";
import {
  type QueueView,
  REPORTS_PER_PAGE,
  readQueue,
} from "~/features/moderation/reports/queue.server";
import { eraseDueReports } from "~/features/moderation/reports/report-mails.server";
import { readReportPage } from "~/features/moderation/reports/report-page.server";
import { KIND_TEXTS } from "~/features/moderation/reports/report-texts";
import { readStatusPage } from "~/features/moderation/reports/status-page.server";
import { newFormId, statusToken } from "~/features/moderation/reports/status-token.server";
import { submitReport } from "~/features/moderation/reports/submit-report.server";
import { readTransparency } from "~/features/moderation/transparency.server";
import { forgetSettings } from "~/platform/settings.server";
import { ensureProjected } from "~db/changes.server";
import { sqliteHandle } from "~db/client.server";
import { REPORT_KINDS } from "~db/schema/moderation";
import { startCheckpoints } from "~db/threads/checkpoint.server";
import { withCatalogue } from "../catalogue/catalogue-database";
import { randomFrom } from "../catalogue/generated-videos";
import { longestBlock, median, ownTime, p95, type Report, timed } from "../report";
import { fillReports, LAST_DAY, REPORTS, reportId } from "./many-reports";

const VIDEOS = 100_000;
const SENT = 150;
const PAGES = 200;
const PLAIN_PAGES = 20;
const PUBLISHED_VIDEOS = 1_000;
const MAX_PAGE_MS = 20;
const MAX_BLOCKED_MS = 25;
const MAX_COUNT_MS = 2_000;
const SETTINGS = {
  REQUIRE_CONSENT: "on",
  PUBLIC_URL: "https://videos.example",
  SESSION_SECRET: "a secret for the benchmark with more than 32 characters",
};

/** Measures the moderation queue with 100,000 reports, and the consent records for 100,000 videos. */
export async function run(report: Report): Promise<void> {
  const before = { ...process.env };
  Object.assign(process.env, SETTINGS);
  try {
    await withCatalogue(VIDEOS, async () => {
      const now = Date.now();
      fillReports(now);
      await ensureProjected();
      startCheckpoints();
      await benchmarkQueue(report);
      await benchmarkReportPages(report);
      await benchmarkSubmitting(report);
      await benchmarkTransparency(report);
      await benchmarkPublishing(report);
      await benchmarkExpiry(report);
      await benchmarkErasing(report, now);
    });
  } finally {
    for (const name of Object.keys(SETTINGS)) delete process.env[name];
    Object.assign(process.env, before);
    forgetSettings();
  }
}

async function timesOf<T>(all: readonly T[], work: (each: T) => unknown): Promise<number[]> {
  const times: number[] = [];
  for (const each of all) times.push((await timed(() => work(each))).cpu);
  return times;
}

/** For random states and kinds, compares queue pages with the result of the simplest query. */
async function benchmarkQueue(report: Report): Promise<void> {
  const random = randomFrom(3);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const newest = sqliteHandle()
    .prepare("SELECT due_at || '_' || id FROM reports WHERE id = ?")
    .pluck();
  const views = Array.from({ length: PAGES }, (): QueueView => {
    const id = reportId(Math.floor(random() * REPORTS));
    return {
      state: one(["open", "asked", "closed"]),
      ...(random() < 0.5 && { kind: one(REPORT_KINDS) }),
      ...(random() < 0.5 && { after: newest.get(id) as string }),
    };
  });
  const times = await timesOf(views, (view) => readQueue(view));
  report.atMost(`a page of the queue of ${REPORTS} reports, p95`, p95(times), MAX_PAGE_MS, "ms");
  const plain = await timesOf(views.slice(0, PLAIN_PAGES), plainQueue);
  report.figure("sorting all matches takes", median(plain) / median(times), "times as long");
}

function plainQueue({ state, kind, after }: QueueView): unknown {
  const where = `state = @state ${kind ? "AND kind = @kind" : ""}`;
  const offset = after ? REPORTS_PER_PAGE * 20 : 0;
  return sqliteHandle()
    .prepare(
      `SELECT *, (SELECT count(*) FROM reports WHERE state = 'open') AS open FROM reports NOT INDEXED
       WHERE ${where} ORDER BY due_at, id LIMIT ${REPORTS_PER_PAGE} OFFSET ${offset}`,
    )
    .all({ state, ...(kind && { kind }) });
}

/** Compares loading a report's page and its status page with reading plain rows, which aren't signed or encrypted. */
async function benchmarkReportPages(report: Report): Promise<void> {
  const ids = Array.from({ length: PAGES }, (_, index) => reportId((index * 499) % REPORTS));
  const page = await timesOf(ids, (id) => readReportPage(id));
  report.atMost("the page of a report, p95", p95(page), MAX_PAGE_MS, "ms");
  const row = sqliteHandle().prepare("SELECT * FROM reports WHERE id = ?");
  const messages = sqliteHandle().prepare("SELECT * FROM report_messages WHERE report_id = ?");
  const tokens = ids.map((id) => statusToken(id));
  const status = await timesOf(tokens, readStatusPage);
  const plain = await timesOf(ids, (id) => [row.get(id), messages.all(id)]);
  report.atMost("its status page, p95", p95(status), MAX_PAGE_MS, "ms");
  report.figure("status page / plain rows", median(status) / median(plain), "");
}

/** Compares submitting a report, which adds a row and a log entry, with inserting a plain row. */
async function benchmarkSubmitting(report: Report): Promise<void> {
  const sqlite = sqliteHandle();
  const ids = sqlite.prepare("SELECT id FROM videos LIMIT ?").pluck().all(SENT) as string[];
  const formOf = (videoId: string) => {
    const form = new FormData();
    const texts = {
      ...{ form: newFormId(), name: "A Reporter", email: "reporter@example.com" },
      where: `https://videos.example/video/${videoId}`,
      what: "A description of the problem with this video. ".repeat(8),
    };
    for (const [name, value] of Object.entries(texts)) form.append(name, value);
    for (const at of KIND_TEXTS.copyright.statements.keys()) form.append(`statement-${at}`, "on");
    return form;
  };
  let address = 0;
  const times = await timesOf(ids, async (videoId) => {
    address += 1;
    const headers = { "X-Forwarded-For": `10.0.${address >> 8}.${address & 255}` };
    const request = new Request(SETTINGS.PUBLIC_URL, { headers });
    const sent = await submitReport(request, "copyright", formOf(videoId));
    if (!("id" in sent)) throw new Error(`The report was rejected: ${JSON.stringify(sent)}`);
  });
  const insert = sqlite.prepare(
    `INSERT INTO reports (id, kind, received_at, due_at, payload)
     VALUES (?, 'copyright', '2020-01-01', '2020-01-01', ?)`,
  );
  const plain = await timesOf(ids, (videoId) => {
    insert.run(randomUUID(), JSON.stringify(Object.fromEntries(formOf(videoId))));
  });
  report.atMost("submitting a report, p95", p95(times), MAX_PAGE_MS, "ms");
  report.figure("submitting / plain row", median(times) / median(plain), "");
}

/** When the log has a new entry, the transparency page recalculates its figures in a worker thread and caches them. */
async function benchmarkTransparency(report: Report): Promise<void> {
  let first = { cpu: 0 };
  const blocked = await longestBlock(async () => {
    first = await timed(readTransparency);
  });
  report.atMost("counting for the transparency page, CPU", first.cpu, MAX_COUNT_MS, "ms");
  report.atMost("counting: longest block of the serving thread", blocked, MAX_BLOCKED_MS, "ms");
  const cached = await timesOf(
    Array.from({ length: PAGES }, () => 0),
    readTransparency,
  );
  report.figure("cached figures, p95", p95(cached), "ms");
  report.figure("counting on each visit takes", first.cpu / median(cached), "times as long");
}

/**
 * Measures how long publishing takes when consent records are required, compared with publishing without this
 * requirement and with checking the records one by one.
 */
async function benchmarkPublishing(report: Report): Promise<void> {
  const sqlite = sqliteHandle();
  sqlite.exec(
    "INSERT INTO users (id, email, password_hash) VALUES ('bench', 'b@example.com', 'x')",
  );
  const ids = sqlite
    .prepare("SELECT id FROM videos WHERE status = 'published' ORDER BY number LIMIT ?")
    .pluck()
    .all(PUBLISHED_VIDEOS) as string[];
  const together = await timed(() => refusalsOf(ids));
  const single = await timed(() => ids.map((id) => refusalsOf([id])));
  if (together.result.size > 0) throw new Error("A complete record was rejected.");
  report.figure(`checking ${PUBLISHED_VIDEOS} records`, together.cpu, "ms");
  report.figure("checking one by one takes", single.cpu / together.cpu, "times as long");
  const publish = async () => {
    await changeVideos({ action: "hide" }, ids, "bench");
    await ensureProjected();
    let ms = 0;
    const blocked = await longestBlock(async () => {
      const result = await timed(() => changeVideos({ action: "publish" }, ids, "bench"));
      ms = result.cpu;
    });
    await ensureProjected();
    return { blocked, ms };
  };
  const required = await publish();
  process.env.REQUIRE_CONSENT = "off";
  forgetSettings();
  const optional = await publish();
  process.env.REQUIRE_CONSENT = "on";
  forgetSettings();
  report.figure(`publishing ${PUBLISHED_VIDEOS} videos with records`, required.ms, "ms");
  report.figure("publishing with / without records", required.ms / optional.ms, "");
  report.atMost("publishing: longest block of the thread", required.blocked, MAX_BLOCKED_MS, "ms");
}

/** Returns how long work takes in one transaction, which is then rolled back. */
function transactionMs(work: () => unknown): number {
  const sqlite = sqliteHandle();
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    const start = ownTime();
    work();
    return ownTime() - start;
  } finally {
    sqlite.exec("ROLLBACK");
  }
}

/** Measures hiding 10,000 videos whose consent records expire on the same day, compared with a single transaction. */
async function benchmarkExpiry(report: Report): Promise<void> {
  const lastDay = Date.parse(`${LAST_DAY}T00:00:00Z`);
  const expiring = sqliteHandle()
    .prepare("SELECT video_id FROM video_consents WHERE ends_on <= ?")
    .pluck()
    .all(LAST_DAY) as string[];
  report.figure(
    "expiry in one transaction: block of the thread",
    transactionMs(() => updateConsentHolds(expiring, lastDay)),
    "ms",
  );
  let hidden = 0;
  const { cpu } = await timed(async () => {
    const blocked = await longestBlock(async () => {
      hidden = await holdExpired(lastDay);
    });
    report.atMost("expiry: longest block of the thread", blocked, MAX_BLOCKED_MS, "ms");
  });
  report.figure(`hiding ${hidden} videos with expired records, CPU`, cpu, "ms");
  await ensureProjected();
}

/** Measures erasing the text of all closed reports after their retention period, compared with a single transaction. */
async function benchmarkErasing(report: Report, now: number): Promise<void> {
  const afterAll = now + 800 * 86_400_000;
  const sqlite = sqliteHandle();
  report.figure(
    "erasing in one transaction: block of the thread",
    transactionMs(() => {
      sqlite
        .prepare("UPDATE reports SET payload = NULL, erased_at = '' WHERE state = 'closed'")
        .run();
      sqlite.prepare("DELETE FROM report_messages").run();
    }),
    "ms",
  );
  let erased = 0;
  let cpu = 0;
  const blocked = await longestBlock(async () => {
    ({ result: erased, cpu } = await timed(() => eraseDueReports(afterAll)));
  });
  report.figure(
    `erasing ${erased} reports, CPU per report`,
    (cpu / erased) * 1_000,
    "microseconds",
  );
  report.atMost("erasing: longest block of the thread", blocked, MAX_BLOCKED_MS, "ms");
}
