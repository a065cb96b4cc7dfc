import { sqliteHandle } from "~db/client.server";

/** The number of rows of each kind that periodic work has to process. */
const DUE = 40;

/**
 * Fills a test's database so that it resembles that of a site that is a few years old: videos, their rows in other
 * tables, and a few rows that periodic work has to process. Uses plain SQL statements.
 *
 * @param videos at least 1,000.
 */
export function fillLibrary(videos: number): void {
  const sqlite = sqliteHandle();
  const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const values = { videos, past: hoursFromNow(-1), longAgo: hoursFromNow(-24 * 1_000) };
  const numbers = (count: string) => `WITH RECURSIVE numbers (n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
  const each = numbers("@videos");
  const due = numbers(String(DUE));
  const run = (sql: string) => sqlite.prepare(sql).run(values);
  sqlite.transaction(() => {
    run(`${each} INSERT INTO videos (id, title, category, tags, duration, video_url, hls_url, views)
      SELECT 'v' || n, 'Night train ' || n, 'desi', '["night","train"]', '12:34',
        '/media/videos/u/' || n || '.mp4', '/media/videos/u/' || n || '/hls/master.m3u8', n % 5000
      FROM numbers`);
    for (const kind of ["ladder", "storyboard", "cleanup", "fingerprint"]) {
      run(`INSERT INTO jobs (video_id, kind, priority, state, finished_at)
        SELECT id, '${kind}', 100, 'done', @longAgo FROM videos`);
    }
    run(`INSERT INTO media_files (bucket, path, video_id, kind, bytes, stored)
      SELECT 'videos', 'u/' || number || '.mp4', id, 'video', 1000, 1 FROM videos`);
    run(
      `INSERT INTO view_days (video_id, day, views) SELECT id, date('now', '-1 day'), 7 FROM videos`,
    );
    run(
      `INSERT INTO video_digests (video_id, sha256) SELECT id, printf('%064d', number) FROM videos`,
    );
    run(`INSERT INTO video_files (id, video_id, state, video_url, replaced_at)
      SELECT 'f' || number, id, 'removed', '/media/videos/u/o' || number || '.mp4', @longAgo FROM videos`);
    run(`INSERT INTO activities (action, subject_id) SELECT 'publish', id FROM videos`);
    run(`INSERT INTO moderation_log (at, action, video_id, detail)
      SELECT @longAgo, 'keep', id, '{}' FROM videos`);
    run(`INSERT INTO reports (id, kind, state, decision, received_at, due_at, closed_at, erased_at)
      SELECT 'r' || number, 'other', 'closed', 'keep', @longAgo, @longAgo, @longAgo, @longAgo FROM videos`);
    run(`INSERT INTO report_videos (report_id, video_id, decision, decided_at)
      SELECT 'r' || number, id, 'keep', @longAgo FROM videos`);
    run(`INSERT INTO video_consents (video_id, kind, people, recorded_on, updated_at)
      SELECT id, 'own', 1, '2020-01-01', @longAgo FROM videos`);
    run(`INSERT INTO users (id, email, password_hash) VALUES ('u', 'u@example.com', '')`);
    run(`INSERT INTO upload_terms (version, text, created_at) VALUES (1, 'Terms', @longAgo)`);
    run(`INSERT INTO accepted_terms (video_id, subject, version, user_id, accepted_at)
      SELECT id, 'video', 1, 'u', @longAgo FROM videos`);
    run(`INSERT INTO uploader_decisions (user_id, report_id, video_id, decision, decided_at, payload)
      SELECT 'u', 'r' || number, id, 'keep', @past, '' FROM videos`);
    run(`${each} INSERT INTO deleted_videos (id, title, row, deleted_at)
      SELECT 'd' || n, 'Deleted', '{}', @past FROM numbers WHERE n % 50 = 0`);

    run(`UPDATE videos SET status = 'hidden', publish_at = @past WHERE number <= ${DUE}`);
    run(`UPDATE videos SET unpublish_at = @past WHERE number BETWEEN 101 AND 100 + ${DUE}`);
    run(
      `UPDATE video_consents SET ends_on = '2021-01-01' WHERE rowid BETWEEN 201 AND 200 + ${DUE}`,
    );
    run(
      `UPDATE video_consents SET ends_on = date('now', '+9 days') WHERE rowid BETWEEN 301 AND 300 + ${DUE}`,
    );
    run(`INSERT INTO video_holds (video_id, reason, since)
      SELECT id, 'comparing', @past FROM videos WHERE number BETWEEN 401 AND 400 + ${DUE}`);
    run(`UPDATE jobs SET state = 'failed', finished_at = @past, reason = 'No.' WHERE id <= ${DUE}`);
    run(`INSERT INTO jobs (video_id, kind, priority, run_after, created_at)
      SELECT id, 'preview', 500, @past, @past FROM videos WHERE number <= 2000`);
    run(`UPDATE jobs SET state = 'running', worker = 'remote/1/a', lease_until = @past
      WHERE kind = 'preview' AND id % 50 = 0`);
    run(
      `UPDATE jobs SET attempts = 5, worker = 'here/1/1' WHERE state = 'running' AND id % 100 = 0`,
    );
    run(`INSERT INTO video_files (id, video_id, state, replaced_at)
      SELECT 'e' || number, id, 'earlier', @longAgo FROM videos WHERE number BETWEEN 501 AND 500 + ${DUE}`);
    run(`INSERT INTO video_files (id, video_id, state, video_url)
      SELECT 'p' || number, id, 'pending', iif(number = 601, '/media/videos/u/p601.mp4', '')
      FROM videos WHERE number BETWEEN 601 AND 600 + ${DUE}`);
    run(
      `${due} INSERT INTO video_files (id, video_id, state) SELECT 'g' || n, 'gone' || n, 'earlier' FROM numbers`,
    );
    run(`UPDATE deleted_videos SET deleted_at = @longAgo WHERE rowid <= ${DUE}`);
    run(
      `UPDATE reports SET erased_at = NULL, payload = 'x' WHERE rowid BETWEEN 701 AND 700 + ${DUE}`,
    );
    run(`UPDATE uploader_decisions SET decided_at = @longAgo WHERE id <= ${DUE}`);
    run(`${due} INSERT INTO accepted_terms (video_id, subject, version, user_id, accepted_at, video_gone_at)
      SELECT 'gone' || n, 'video', 1, 'u', @longAgo, @longAgo FROM numbers`);
    run(`${due} INSERT INTO reports (id, kind, state, received_at, due_at)
      SELECT 'open' || n, 'consent', 'open', @longAgo, @past FROM numbers`);
    run(
      `${due} INSERT INTO report_videos (report_id, video_id) SELECT 'open' || n, 'v' || n FROM numbers`,
    );
    run(
      `${due} INSERT INTO outbox (id, report_id, event, channel, next_at) SELECT 'm' || n, 'open' || n, 'received', 'email', @past FROM numbers`,
    );
    run(
      `INSERT INTO blocked_videos (video_id, reason, blocked_at, state) VALUES ('gone', 'other', @past, 'ready')`,
    );
    run(`${due} INSERT INTO blocked_videos (video_id, title, reason, blocked_at, state, removed_at)
      SELECT 'removed' || n, 'x', 'other', @longAgo, 'none', @longAgo FROM numbers`);
    run(`${due} INSERT INTO blocked_videos (video_id, title, reason, blocked_at, state)
      SELECT 'old' || n, 'x', 'other', @longAgo, 'none' FROM numbers`);
    run(`INSERT INTO stored_files (bucket, path, object, bytes, sha256, version, modified_ms, type)
      SELECT 'videos', 'u/' || number || '.mp4', 'k' || number, 1000, printf('%064d', number), '1-1-1', 1, 'video/mp4'
      FROM videos`);
    run(`INSERT INTO removals (bucket, path, reason, is_ordered, created_at, not_before)
      SELECT 'store', 'waits' || number, 'deleted', 0, @past, '2999-01-01' FROM videos`);
    run(`${due} INSERT INTO removals (bucket, path, reason, is_ordered, created_at, not_before)
      SELECT 'store', 'k' || n, 'deleted', 0, @past, @past FROM numbers`);
    run(
      `UPDATE media_files SET stored = 0 WHERE video_id IN (SELECT id FROM videos WHERE number > @videos - ${DUE})`,
    );
    run(`INSERT INTO backups (due_at, state) VALUES (@past, 'done')`);
  })();
}
