import type { ColumnType, Generated, Insertable, Selectable } from "kysely";

/** Times are ISO 8601 UTC text, as `new Date().toISOString()` writes them. */
type Time = string;

export const VIDEO_STATUSES = ["published", "hidden", "review"] as const;
export type VideoStatus = (typeof VIDEO_STATUSES)[number];

export interface VideosTable {
  id: Generated<string>;
  title: string;
  description: Generated<string>;
  category: string;
  /** A JSON list of texts, or null. */
  tags: string | null;
  /** minutes:seconds, such as 5:30 or 75:30. */
  duration: Generated<string>;
  /** Empty while there is no file that can be played. */
  video_url: Generated<string>;
  thumbnail_url: string | null;
  uploaded_by: string | null;
  status: Generated<VideoStatus>;
  views: Generated<number>;
  created_at: Generated<Time>;
  updated_at: Generated<Time>;
}

export interface UsersTable {
  id: Generated<string>;
  /** Unique without regard to case. */
  email: string;
  password_hash: string;
  created_at: Generated<Time>;
}

export interface SessionsTable {
  /** SHA-256 of the id in the cookie, so that a stolen database opens no session. */
  id_hash: string;
  user_id: string;
  created_at: Generated<Time>;
  last_used_at: Generated<Time>;
  expires_at: Time;
}

/** One row that triggers keep: how often the catalogue and the view counts have changed. */
export interface CatalogueChangesTable {
  id: ColumnType<1, never, never>;
  catalogue: number;
  views: number;
}

export interface Schema {
  videos: VideosTable;
  users: UsersTable;
  sessions: SessionsTable;
  catalogue_changes: CatalogueChangesTable;
}

export type VideoRow = Selectable<VideosTable>;
export type NewVideoRow = Insertable<VideosTable>;
export type UserRow = Selectable<UsersTable>;
