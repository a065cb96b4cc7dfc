import type { Generated, Selectable } from "kysely";

/** What became of each backup into BACKUP_DIR. Times are ISO 8601 UTC. */
export interface BackupsTable {
  id: Generated<number>;
  /** The time of the timetable that it was made for; null for one that somebody asked for. */
  due_at: string | null;
  /** Who asked for it. */
  user_id: string | null;
  state: Generated<"running" | "done" | "failed" | "interrupted">;
  /** Its folder below BACKUP_DIR, once it is proved. */
  name: string | null;
  files: Generated<number>;
  bytes: Generated<number>;
  /** What of them was not linked from an earlier one. */
  added_bytes: Generated<number>;
  /** Files of an earlier one that were damaged, and copied again. */
  repaired: Generated<number>;
  /** Why it failed. */
  reason: string | null;
  started_at: Generated<string>;
  finished_at: string | null;
}

export type BackupRow = Selectable<BackupsTable>;
