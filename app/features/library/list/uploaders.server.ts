import { prepared } from "~db/client.server";
import type { Uploader } from "./more-filters";

/** More are no choice that anybody reads. */
const MOST = 500;

/** The users who have uploaded videos that are there, by their address. */
export function uploaders(): Uploader[] {
  return prepared(
    `SELECT id, email FROM users
     WHERE EXISTS (SELECT 1 FROM videos WHERE videos.uploaded_by = users.id)
     ORDER BY email LIMIT ?`,
  ).all(MOST) as Uploader[];
}
