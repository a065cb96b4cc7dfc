import { storedDuration } from "~/shared/format";
import { prepared } from "~db/client.server";
import { fileHold, obstacleTo } from "./file-hold.server";
import type { OtherFile, OtherFiles } from "./replace";
import { isReady } from "./take-over.server";

const WAITS_FOR_EDITOR =
  "An editor has to switch to this file: the account that sent it may no longer change this video.";

type Row = OtherFile & {
  video_id: string;
  user_id: string | null;
  state: "pending" | "earlier" | "original";
  video_url: string;
  failed: 0 | 1;
  cut_start: number | null;
  cut_end: number | null;
};

/** The files of a video but the one it has, those that were replaced last first. */
export function otherFiles(videoId: string): OtherFiles {
  const rows = prepared(
    `SELECT file.id, video_id, user_id, state, duration, video_url, bytes, users.email AS by, cut_start, cut_end,
       coalesce(replaced_at, file.created_at) AS at,
       EXISTS (SELECT 1 FROM jobs WHERE jobs.video_id = file.id AND jobs.state = 'failed'
         AND kind IN ('transcode', 'ladder')) AS failed
     FROM video_files AS file LEFT JOIN users ON users.id = user_id
     WHERE video_id = ? AND state IN ('pending', 'earlier', 'original')
     ORDER BY replaced_at DESC`,
  ).all(videoId) as Row[];
  const shown = ({ id, duration, bytes, at, by, cut_start, cut_end }: Row): OtherFile => ({
    ...{ id, duration: storedDuration(duration), bytes, at, by },
    ...(cut_start !== null && cut_end !== null && { cut: { start: cut_start, end: cut_end } }),
  });
  const pending = rows.find(({ state }) => state === "pending");
  const original = rows.find(({ state }) => state === "original");
  return {
    ...(original && { original: shown(original) }),
    ...(pending && {
      pending: {
        ...shown(pending),
        isPlayable: isReady(pending, true),
        hasFailed: pending.failed === 1,
        waitsFor: waitsFor(pending),
      },
    }),
    earlier: rows.filter(({ state }) => state === "earlier").map(shown),
  };
}

function waitsFor(file: Row): string | undefined {
  return obstacleTo(file, null) === "not allowed" ? WAITS_FOR_EDITOR : fileHold(file.video_id);
}
