import type { Generated } from "kysely";

/** ISO 8601 UTC. */
type Time = string;

/** Files of folders of the server that have become videos, and those that are about to. */
export interface ImportsTable {
  /** The absolute path of the file. */
  source: string;
  bytes: number;
  modified_ms: number;
  video_id: string;
  /** Inside the bucket videos; empty for a duplicate, of which nothing was taken. */
  target: string;
  /** The id of the process that imports it. */
  process: number;
  started_at: Generated<Time>;
  /** Null while the row of the video is not there yet. */
  finished_at: Time | null;
}

/** Videos that the site fetches from an address. */
export interface DownloadsTable {
  id: Generated<number>;
  user_id: string;
  address: string;
  /** {title, description, category, tags}, JSON */
  texts: string;
  /** What the video becomes. */
  status: "published" | "review";
  state: Generated<"waiting" | "running" | "done" | "failed" | "cancelled">;
  /** Why it failed. */
  reason: string | null;
  video_id: string | null;
  created_at: Generated<Time>;
  /** When it was done, failed or was cancelled. */
  finished_at: Time | null;
  /** The version of the uploaders' terms that was accepted with it; null where none was asked for. */
  terms: number | null;
}
