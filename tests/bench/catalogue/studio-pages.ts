import { setImmediate } from "node:timers/promises";
import { listInvitations } from "~/features/accounts/invitations.server";
import { listTokens } from "~/features/accounts/tokens/tokens.server";
import { listUsers } from "~/features/accounts/user-list.server";
import { expiringSoon, videosWithoutRecord } from "~/features/consent/consent-holds.server";
import { listPerformers } from "~/features/consent/performers.server";
import { SORTS } from "~/features/library/list/manage-address";
import { loadReview } from "~/features/library/review/review.server";
import { loadManage } from "~/features/library/routes/admin-page.server";
import { readSeriesView } from "~/features/library/series/series-address";
import { listSeries, listSeriesVideos } from "~/features/library/series/series-list.server";
import { listTagChanges } from "~/features/library/tags/tag-changes.server";
import { loadTags } from "~/features/library/tags/tags-action.server";
import { readTagsView } from "~/features/library/tags/tags-address";
import { readBlockListPage } from "~/features/moderation/block-list/block-list-page.server";
import {
  readQueue,
  readQueueView as readReportsView,
} from "~/features/moderation/reports/queue.server";
import { readAlertsPage } from "~/features/operations/alerts/alert-records.server";
import {
  readSourceStatistics,
  readStatistics,
  readVideoStatistics,
} from "~/features/operations/statistics/statistics.server";
import { readQueueView } from "~/features/processing/screens/queue-address";
import { readTrashView } from "~/features/trash/trash-address";
import { listDownloads } from "~/features/upload/import/downloads.server";
import { serverFolder } from "~/features/upload/import/server-folder.server";
import { templatesOf } from "~/features/upload/templates.server";
import { listActivities } from "~/platform/activity/activity.server";
import { ensureProjected } from "~db/changes.server";
import { projector, sqliteHandle } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import { p95, type Report, timed } from "../report";
import { withCatalogue } from "./catalogue-database";
import { randomFrom } from "./generated-videos";

const VIDEOS = 100_000;
const ROUNDS = 60;
const MAX_PAGE_MS = 50;
/** The user who uploaded more than half of the videos, and who owns all other studio data. */
const USER = "user-1";

/** Measures how long it takes to load the data of all studio pages, with their filters, for 100,000 videos. */
export function benchmarkStudioPages(report: Report): Promise<void> {
  return withCatalogue(VIDEOS, async () => {
    fill();
    while (projector().waiting().last !== null) {
      await ensureProjected();
      await setImmediate();
    }
    for (const [name, load] of Object.entries(pages())) await measure(report, name, load);
  });
}

/**
 * Measures the CPU time of all threads, because the elapsed time also includes the time that threads wait for a CPU.
 */
async function measure(report: Report, name: string, load: () => unknown): Promise<void> {
  for (let round = 0; round < 3; round += 1) await load();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push((await timed(load)).cpu);
  report.atMost(`${name}, p95`, p95(times), MAX_PAGE_MS, "ms");
}

/** Returns functions, by name, that each load a random page of a list. */
function pages(): Record<string, () => unknown> {
  const random = randomFrom(11);
  const upTo = (max: number) => 1 + Math.floor(random() * max);
  // Usually selects one of the first pages, but about one time in ten, any existing page.
  const page = (max: number) => `page=${upTo(random() < 0.1 ? max : 5)}`;
  const list = (filter: string) => () => {
    const sort = SORTS[upTo(SORTS.length) - 1];
    const max = filter.startsWith("search") ? 80 : 2_000;
    return loadManage(new URLSearchParams(`${filter}&sort=${sort}&${page(max)}`), USER);
  };
  const parameters = (text: string) => new URLSearchParams(text);
  return {
    "list, all": list(""),
    "list, 100 per page": list("size=100"),
    "list, a month": list("from=2024-03-01&to=2024-03-31"),
    "list, three years": list("from=2023-01-01&to=2025-12-31"),
    "list, most active uploader": list(`uploader=${USER}`),
    "list, less active uploader": list("uploader=user-3"),
    "list, failed jobs": list("failed=1"),
    "list, missing files": list("missing=1"),
    "list, no thumbnail": list("no-thumbnail=1"),
    "list, all filters": list(`uploader=${USER}&from=2023-01-01&failed=1&missing=1&no-thumbnail=1`),
    "list, dates, uploader and status": list(`uploader=${USER}&from=2023-01-01&status=published`),
    "list, a frequent word and dates": list("search=night&from=2023-01-01"),
    "list, a frequent word and missing files": list("search=night&missing=1"),
    "list, a frequent word and the most active uploader": list(`search=night&uploader=${USER}`),
    ...Object.fromEntries(
      ["running", "waiting", "failed", "done"].map((state) => [
        `queue, ${state}`,
        () => {
          const view = readQueueView(parameters(`state=${state}&${page(400)}`));
          return queryThread("studio", "queue", { view, concurrency: 1 });
        },
      ]),
    ),
    tags: async () => {
      await loadTags(readTagsView(parameters(`${page(6)}&sort=name`)), undefined);
      await listTagChanges();
    },
    "all series": () => listSeries(readSeriesView(undefined, parameters(page(5)))),
    "one series": () => listSeriesVideos(upTo(100), upTo(20)),
    import: async () => [await listDownloads(), serverFolder()],
    trash: () => queryThread("studio", "trash", readTrashView(parameters(page(100)))),
    users: async () => [listUsers(), await listInvitations()],
    tokens: () => listTokens(USER),
    templates: () => templatesOf(USER),
    review: () => loadReview(`review-${upTo(100)}`),
    activity: () => listActivities({ before: upTo(VIDEOS), limit: 50 }),
    statistics: async () => [await readStatistics(90), await readSourceStatistics()],
    "statistics of a video": () => readVideoStatistics(mostViewed(), { days: 90 }),
    alerts: () => readAlertsPage(),
    "reports, open": () => readQueue(readReportsView(parameters("state=open"))),
    "reports, decided": () => readQueue(readReportsView(parameters("state=closed"))),
    "block list": () => readBlockListPage(upTo(10_000)),
    consent: async () => [listPerformers("", ""), expiringSoon(), await videosWithoutRecord()],
    "consent, a search": () => listPerformers("name 4", ""),
  };
}

/** Returns the ID of a video that has views on many days. */
function mostViewed(): string {
  return sqliteHandle().prepare("SELECT video_id FROM view_days LIMIT 1").pluck().get() as string;
}

/** Adds the other data in the studio of a large site. */
function fill(): void {
  sqliteHandle().exec(`
    CREATE TEMP TABLE n AS WITH RECURSIVE numbers (n) AS
      (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000) SELECT n FROM numbers;
    INSERT INTO users (id, email, password_hash)
      SELECT 'user-' || n, 'user-' || n || '@example.com', 'x' FROM n WHERE n <= 50;
    UPDATE videos SET uploaded_by = 'user-' || iif(number % 5 < 3, 1, 2 + number % 48);
    UPDATE videos SET thumbnail_url = NULL WHERE number % 9 = 0;
    INSERT INTO missing_files SELECT number FROM videos WHERE number % 20 = 0;
    INSERT INTO jobs (video_id, kind, priority, state, finished_at, started_at, reason)
      SELECT id, 'ladder', 5, CASE WHEN number % 10 = 0 THEN 'failed' WHEN number % 5 = 1 THEN 'waiting'
        ELSE 'done' END, created_at, created_at, 'The file is damaged.' FROM videos;
    INSERT INTO jobs (video_id, kind, priority, state, finished_at, started_at)
      SELECT id, 'poster', 2, 'done', created_at, created_at FROM videos;
    INSERT INTO videos (id, title, category, status)
      SELECT 'review-' || n, 'Draft ' || n, 'desi', 'review' FROM n WHERE n <= 100;
    INSERT INTO review_notes (video_id, user_id, text, created_at)
      SELECT 'review-' || (n % 100 + 1), 'user-1', 'A note.', '2026-01-01T00:00:00.000Z' FROM n;
    INSERT INTO series (title, slug) SELECT 'Series ' || n, 'series-' || n FROM n WHERE n <= 100;
    INSERT INTO series_videos (series_id, video_id, position)
      SELECT number % 100 + 1, id, number FROM videos;
    INSERT INTO downloads (user_id, address, texts, status, state)
      SELECT 'user-1', 'https://example.com/' || n || '.mp4', '{}', 'review', 'done' FROM n;
    INSERT INTO api_tokens (token_hash, user_id, name, scopes, created_at, expires_at)
      SELECT n, 'user-1', 'Token ' || n, '["read"]', '2026-01-01', '2036-01-01' FROM n WHERE n <= 50;
    INSERT INTO upload_templates (user_id, name) SELECT 'user-1', 'Template ' || n FROM n WHERE n <= 50;
    INSERT INTO deleted_videos (id, title, row, deleted_by, deleted_at, bytes)
      SELECT 'deleted-' || n, 'Deleted ' || n, '{}', 'user-1',
        strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || n || ' minutes'), n FROM n;
    INSERT INTO saved_views (user_id, name, parameters)
      SELECT 'user-1', 'View ' || n, 'tab=manage&missing=1' FROM n WHERE n <= 20;
    INSERT INTO activities (user_id, action, subject_id, detail)
      SELECT 'user-1', 'hide', id, title FROM videos;
    INSERT OR IGNORE INTO view_days (video_id, day, views)
      SELECT id, date('now', '-' || day.n || ' days'), 5 FROM videos, n AS day
      WHERE number <= 1000 AND day.n <= 90;
    INSERT INTO reports (id, kind, state, received_at, due_at, closed_at)
      SELECT 'report-' || number, 'other', iif(number % 2, 'open', 'closed'), created_at, created_at,
        iif(number % 2, NULL, created_at) FROM videos WHERE number % 10 = 0 OR number % 10 = 1;
    INSERT INTO report_videos (report_id, video_id)
      SELECT 'report-' || number, id FROM videos WHERE number % 10 = 0 OR number % 10 = 1;
    INSERT INTO blocked_videos (video_id, reason, blocked_at, state)
      SELECT 'blocked-' || number, 'other', created_at, 'none' FROM videos WHERE number % 10 = 0;
    INSERT INTO performers (id, stage_names, sort_name, payload, created_at, updated_at)
      SELECT 'performer-' || n, 'Name ' || n, 'name ' || n, '', '2026-01-01', '2026-01-01' FROM n;
    INSERT INTO performer_names (name, performer_id) SELECT 'name ' || n, 'performer-' || n FROM n;
    DROP TABLE n;`);
}
