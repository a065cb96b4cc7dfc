import { prepared } from "~db/client.server";
import type { OtherFile, OtherFiles } from "./replace";

type Row = OtherFile & { state: "pending" | "earlier"; video_url: string; failed: 0 | 1 };

/** The files of a video but the one it has, those that were replaced last first. */
export function otherFiles(videoId: string): OtherFiles {
  const rows = prepared(
    `SELECT file.id, state, duration, video_url, bytes, users.email AS by,
       coalesce(replaced_at, file.created_at) AS at,
       EXISTS (SELECT 1 FROM jobs WHERE jobs.video_id = file.id AND jobs.state = 'failed'
         AND kind IN ('transcode', 'ladder')) AS failed
     FROM video_files AS file LEFT JOIN users ON users.id = user_id
     WHERE video_id = ? AND state IN ('pending', 'earlier')
     ORDER BY replaced_at DESC`,
  ).all(videoId) as Row[];
  const shown = ({ id, duration, bytes, at, by }: Row): OtherFile => ({
    ...{ id, duration, bytes, at, by },
  });
  const pending = rows.find(({ state }) => state === "pending");
  return {
    ...(pending && {
      pending: {
        ...shown(pending),
        isPlayable: pending.video_url !== "",
        hasFailed: pending.failed === 1,
      },
    }),
    earlier: rows.filter(({ state }) => state === "earlier").map(shown),
  };
}
