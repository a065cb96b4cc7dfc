/** Reports, the moderation log, the block list, strikes and upload terms. */
export const trust = /* sql */ `
  CREATE TABLE reports (
    id          TEXT PRIMARY KEY NOT NULL,
    kind        TEXT NOT NULL,
    state       TEXT NOT NULL DEFAULT 'open',
    decision    TEXT,
    received_at TEXT NOT NULL,
    due_at      TEXT NOT NULL,
    closed_at   TEXT,
    erased_at   TEXT,
    -- The encrypted payload: all text that was entered; null once it has been erased.
    payload         TEXT,
    -- Whether the reporter was sent an email, and has opened its link. Further emails are sent only after that.
    mail_link   TEXT,
    -- The alerts that included the report as urgent, as due soon and as overdue. Null until then, and again once it is
    -- reopened. No foreign key: old alerts are deleted.
    urgent_alert_id  TEXT,
    due_alert_id     TEXT,
    overdue_alert_id TEXT
  );
  CREATE INDEX reports_due ON reports (due_at, id) WHERE state <> 'closed';
  CREATE INDEX reports_closed ON reports (closed_at, id) WHERE state = 'closed';
  CREATE INDEX reports_to_erase ON reports (closed_at)
    WHERE closed_at IS NOT NULL AND erased_at IS NULL;
  CREATE INDEX reports_by_state ON reports (state, due_at, id);
  CREATE INDEX reports_by_state_kind ON reports (state, kind, due_at, id);
  CREATE INDEX reports_closed_by_kind ON reports (kind, closed_at, id) WHERE state = 'closed';
  CREATE INDEX reports_by_urgent_alert ON reports (urgent_alert_id, due_at)
    WHERE state = 'open' AND kind IN ('consent', 'under-age');
  CREATE INDEX reports_by_due_alert ON reports (due_alert_id, due_at) WHERE state = 'open';
  CREATE INDEX reports_by_overdue_alert ON reports (overdue_alert_id, due_at) WHERE state = 'open';
  CREATE INDEX reports_open_bytes ON reports (length(CAST(payload AS BLOB))) WHERE state <> 'closed';
  CREATE INDEX reports_by_time ON reports (received_at, kind, state, decision, closed_at);

  -- The videos in a report. No foreign key on the video: it may be in the trash or deleted.
  CREATE TABLE report_videos (
    report_id       TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    video_id        TEXT NOT NULL,
    -- The decision that closes the report for this video; null until there is one.
    decision        TEXT,
    decided_at      TEXT,
    -- When the video's file was replaced after the report.
    file_changed_at TEXT,
    PRIMARY KEY (report_id, video_id)
  );
  CREATE INDEX report_videos_by_video ON report_videos (video_id, report_id);

  CREATE TABLE report_messages (
    id        TEXT PRIMARY KEY NOT NULL,
    report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    author    TEXT NOT NULL,
    sent_at   TEXT NOT NULL,
    -- The encrypted payload.
    payload       TEXT NOT NULL
  );
  CREATE INDEX report_messages_by_report ON report_messages (report_id, sent_at);

  -- Messages about alerts and reports, written with the change that they report, and retried until they arrive.
  CREATE TABLE outbox (
    id           TEXT PRIMARY KEY NOT NULL,
    alert_id     TEXT REFERENCES alerts (id) ON DELETE CASCADE,
    report_id    TEXT REFERENCES reports (id) ON DELETE CASCADE,
    event        TEXT NOT NULL,
    channel      TEXT NOT NULL,
    attempts     INTEGER NOT NULL DEFAULT 0,
    -- Null once it has arrived, or after the last attempt.
    next_at      TEXT,
    delivered_at TEXT,
    -- Why the last attempt failed.
    reason       TEXT,
    CHECK ((alert_id IS NULL) <> (report_id IS NULL))
  );
  CREATE INDEX outbox_alerts_due ON outbox (next_at) WHERE alert_id IS NOT NULL AND next_at IS NOT NULL;
  CREATE INDEX outbox_reports_due ON outbox (next_at) WHERE report_id IS NOT NULL AND next_at IS NOT NULL;
  CREATE INDEX outbox_by_alert ON outbox (alert_id) WHERE alert_id IS NOT NULL;
  CREATE INDEX outbox_by_report ON outbox (report_id) WHERE report_id IS NOT NULL;

  -- Append-only. Doesn't contain any names or text that someone entered.
  CREATE TABLE moderation_log (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at        TEXT NOT NULL,
    action    TEXT NOT NULL,
    report_id TEXT,
    video_id  TEXT,
    user_id   TEXT,
    -- A JSON object.
    detail    TEXT NOT NULL
  );
  CREATE INDEX moderation_log_by_report ON moderation_log (report_id, id) WHERE report_id IS NOT NULL;
  CREATE INDEX moderation_log_by_video ON moderation_log (video_id, id) WHERE video_id IS NOT NULL;
  CREATE INDEX moderation_log_by_action ON moderation_log (action, at);
  CREATE TRIGGER moderation_log_kept BEFORE UPDATE ON moderation_log BEGIN
    SELECT RAISE(ABORT, 'the moderation log is never changed');
  END;
  CREATE TRIGGER moderation_log_complete BEFORE DELETE ON moderation_log BEGIN
    SELECT RAISE(ABORT, 'the moderation log is never shortened');
  END;
  -- INSERT OR REPLACE deletes without firing that trigger.
  CREATE TRIGGER moderation_log_appended BEFORE INSERT ON moderation_log
    WHEN EXISTS (SELECT 1 FROM moderation_log WHERE id = NEW.id) BEGIN
    SELECT RAISE(ABORT, 'the moderation log is never changed');
  END;

  -- Reports whose texts and videos are preserved until the given time.
  CREATE TABLE preserved_reports (
    report_id TEXT PRIMARY KEY NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    until     TEXT NOT NULL
  ) WITHOUT ROWID;
  -- No foreign key: a video may be in the trash or deleted.
  CREATE TABLE preserved_videos (
    video_id  TEXT NOT NULL,
    report_id TEXT NOT NULL REFERENCES preserved_reports (report_id) ON DELETE CASCADE,
    PRIMARY KEY (video_id, report_id)
  ) WITHOUT ROWID;
  CREATE INDEX preserved_videos_by_report ON preserved_videos (report_id);

  -- Videos that were removed and must not be uploaded again.
  CREATE TABLE blocked_videos (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The video that was removed from this site, which may be deleted; null for an imported entry.
    video_id   TEXT,
    reason     TEXT NOT NULL,
    blocked_at TEXT NOT NULL,
    -- waiting: its frames will be hashed. ready: its frames are hashed. few: hashing failed, and there are only
    -- earlier frames. none: only digests of files are known.
    state      TEXT NOT NULL,
    -- The path of that file in the bucket 'videos'. It isn't removed while the state is waiting.
    file       TEXT,
    attempts   INTEGER NOT NULL DEFAULT 0,
    -- The number of digests in an imported list; null for a video.
    digests    INTEGER,
    -- The title of the removed video. Deleted after REPORT_KEEP, because it may name a person.
    -- For a list of digests, the list's file name.
    title      TEXT,
    -- When the entry was removed from the list. Such an entry matches nothing, and is deleted 30 days later.
    removed_at TEXT,
    -- The number of seconds until the first frame, and between two frames.
    first      REAL NOT NULL DEFAULT 0,
    step       REAL NOT NULL DEFAULT 0,
    -- Three hashes of 8 bytes for each frame; 0 for a frame without detail.
    frames     BLOB NOT NULL DEFAULT x''
  );
  CREATE UNIQUE INDEX blocked_videos_by_video ON blocked_videos (video_id) WHERE video_id IS NOT NULL;
  CREATE INDEX blocked_videos_waiting ON blocked_videos (file) WHERE state = 'waiting';
  CREATE INDEX blocked_videos_removed ON blocked_videos (removed_at) WHERE removed_at IS NOT NULL;
  CREATE INDEX blocked_videos_lists ON blocked_videos (id) WHERE digests IS NOT NULL;
  CREATE INDEX blocked_videos_titled ON blocked_videos (blocked_at)
    WHERE title IS NOT NULL AND video_id IS NOT NULL;

  CREATE TABLE blocked_files (
    sha256  TEXT NOT NULL CHECK (length(sha256) = 64),
    blocked_video_id INTEGER NOT NULL REFERENCES blocked_videos (id) ON DELETE CASCADE,
    PRIMARY KEY (sha256, blocked_video_id)
  ) WITHOUT ROWID;
  CREATE INDEX blocked_files_by_video ON blocked_files (blocked_video_id);
  -- MD5 digests, which come only from imported lists of digests.
  CREATE TABLE blocked_md5s (
    md5     TEXT NOT NULL CHECK (length(md5) = 32),
    blocked_video_id INTEGER NOT NULL REFERENCES blocked_videos (id) ON DELETE CASCADE,
    PRIMARY KEY (md5, blocked_video_id)
  ) WITHOUT ROWID;
  CREATE INDEX blocked_md5s_by_video ON blocked_md5s (blocked_video_id);

  -- Videos that resemble a blocked one.
  CREATE TABLE block_list_matches (
    video_id     TEXT NOT NULL,
    blocked_video_id      INTEGER NOT NULL REFERENCES blocked_videos (id) ON DELETE CASCADE,
    found_at     TEXT NOT NULL,
    -- When someone marked the video as a different one.
    dismissed_at TEXT,
    PRIMARY KEY (video_id, blocked_video_id)
  ) WITHOUT ROWID;
  CREATE INDEX block_list_matches_by_video ON block_list_matches (blocked_video_id);

  -- Frames of videos, for the comparison with blocked ones: two hashes of 8 bytes for each frame.
  CREATE TABLE video_frames (
    video_id TEXT PRIMARY KEY NOT NULL,
    first    REAL NOT NULL,
    step     REAL NOT NULL,
    frames   BLOB NOT NULL
  );

  CREATE TABLE user_strikes (
    id           TEXT PRIMARY KEY NOT NULL,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    reason       TEXT NOT NULL,
    -- No foreign key: the id is kept after the account is deleted, as in all logs.
    given_by     TEXT,
    given_at     TEXT NOT NULL,
    -- When the strike expires.
    ends_at      TEXT NOT NULL,
    withdrawn_at TEXT
  );
  CREATE INDEX user_strikes_by_user ON user_strikes (user_id, given_at);

  CREATE TABLE upload_terms (
    version    INTEGER PRIMARY KEY NOT NULL CHECK (version > 0),
    text       TEXT NOT NULL,
    created_at TEXT NOT NULL,
    created_by TEXT
  );
  CREATE TRIGGER upload_terms_kept BEFORE UPDATE OF version, text, created_at ON upload_terms BEGIN
    SELECT RAISE(ABORT, 'a version of the terms is never changed');
  END;
  CREATE TRIGGER upload_terms_complete BEFORE DELETE ON upload_terms BEGIN
    SELECT RAISE(ABORT, 'a version of the terms is never deleted');
  END;
  -- INSERT OR REPLACE deletes without firing that trigger.
  CREATE TRIGGER upload_terms_appended BEFORE INSERT ON upload_terms
    WHEN EXISTS (SELECT 1 FROM upload_terms WHERE version = NEW.version) BEGIN
    SELECT RAISE(ABORT, 'a version of the terms is never changed');
  END;

  CREATE TABLE upload_terms_state (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    -- Null while uploaders don't have to accept the terms.
    required_since TEXT
  );
  INSERT INTO upload_terms_state VALUES (1, NULL);

  -- No foreign key to videos: an entry stays for a year after the video is deleted.
  CREATE TABLE accepted_terms (
    id            INTEGER PRIMARY KEY,
    video_id      TEXT NOT NULL,
    -- Accepted for the video, or for another file of it.
    subject       TEXT NOT NULL,
    version       INTEGER NOT NULL REFERENCES upload_terms (version),
    user_id       TEXT,
    accepted_at   TEXT NOT NULL,
    -- When the video was found to be permanently deleted.
    video_gone_at TEXT
  );
  CREATE INDEX accepted_terms_by_video ON accepted_terms (video_id, id);
  CREATE INDEX accepted_terms_gone ON accepted_terms (video_gone_at) WHERE video_gone_at IS NOT NULL;

  -- Moderators' decisions about a user's videos.
  CREATE TABLE uploader_decisions (
    id         INTEGER PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    report_id  TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    -- No foreign key: the decision can still be read after the video is deleted.
    video_id   TEXT NOT NULL,
    decision   TEXT NOT NULL,
    decided_at TEXT NOT NULL,
    -- The encrypted payload: the title of the video and the reason.
    payload        TEXT NOT NULL
  );
  CREATE INDEX uploader_decisions_by_user ON uploader_decisions (user_id, id);
  CREATE INDEX uploader_decisions_by_report ON uploader_decisions (report_id);
  CREATE INDEX uploader_decisions_by_time ON uploader_decisions (decided_at);
`;
