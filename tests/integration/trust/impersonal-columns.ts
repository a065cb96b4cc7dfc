/**
 * The database columns that contain no personal data. They contain data about videos and their storage, totals, and the
 * state of the site itself. A new column must be listed either here or in `kept-data.server.ts`.
 */
export const IMPERSONAL_COLUMNS: Readonly<Record<string, string>> = {
  // Titles, descriptions and videos are published; the people in them are listed in the consent records.
  videos:
    "id number title description category tags duration status views created_at updated_at bytes seconds sort_key captions poster_colors publish_at unpublish_at ready_at loudness true_peak hls_settings source_removed_at cut_start cut_end held public listed",
  video_files:
    "id video_id state created_at replaced_at duration poster_colors hls_settings source_removed_at captions loudness true_peak bytes sha256 cut_start cut_end watched",
  deleted_videos: "id title deleted_at bytes",
  video_holds: "video_id reason source_id since",
  preserved_reports: "report_id until",
  preserved_videos: "video_id report_id",

  consent_requirement: "id",

  // The IDs of the alerts that mentioned these reports and records.
  reports: "urgent_alert_id due_alert_id overdue_alert_id",
  video_consents: "expiry_alert_id",

  // The site's terms for uploaders.
  upload_terms: "version text created_at",
  upload_terms_state: "id required_since",

  // These are derived from the videos and the catalogue.
  blocked_videos:
    "id video_id reason blocked_at state file attempts digests removed_at first step frames",
  blocked_files: "sha256 blocked_video_id",
  blocked_md5s: "md5 blocked_video_id",
  block_list_matches: "video_id blocked_video_id found_at dismissed_at",
  video_frames: "video_id first step frames",
  scan_findings: "video_id verdict reason found_at",
  video_digests: "video_id sha256",
  video_fingerprints: "video_id seconds hashes",
  similar_videos: "first second dismissed_at",
  projected_videos: "id sort_key status public listed category views bytes text_digest digest",
  related_changes: "seq sort_key",
  video_changes: "seq video_id",
  video_search: "text video_search rank",
  video_search_short: "text video_search_short rank",
  video_words: "title tags category series description video_words rank",
  video_totals: "status listed category videos viewed views bytes",
  catalogue_version: "id catalogue views",

  // These columns contain only totals, never individual views.
  view_days: "video_id day views",
  watched_parts: "video_id views parts",
  disk_days: "day used_bytes free_bytes",
  transfer_days: "day bytes",

  category_names: "id label position",
  series: "id title slug description visibility version created_at updated_at deleted_at",
  series_slugs: "slug series_id",
  series_videos: "series_id video_id position",
  featured_series: "id series_id",
  tag_aliases: "alias tag label",
  tag_changes: "id tags names target aliases state created_at",
  tag_change_videos: "change_id video_id before after",

  media_files: "bucket video_id kind bytes stored clean",
  removals: "id bucket reason is_ordered created_at not_before",
  stored_files: "bucket bytes sha256 version modified_ms type",
  missing_files: "number",
  storage: "id bytes checked_at files_looked_at site_id clock moving_to_disk",
  downloads: "id texts status state reason video_id created_at finished_at terms",
  imports: "source bytes modified_ms video_id target process started_at finished_at",
  jobs: "id video_id kind priority state attempts run_after worker lease_until worker_losses progress speed seconds_left reason created_at started_at finished_at",
  workers: "id token_hash name created_at last_seen_at jobs_done trouble",
  queue_state: "id paused_at",
  heartbeat: "id at",
  backups: "id due_at state name files bytes added_bytes repaired reason started_at finished_at",
  alerts: "id kind message until raised_at resolved_at",
  outbox: "alert_id delivered_at",
  migrations: "name digest ran_at",
};
