import { Link } from "@remix-run/react";
import { Time } from "~/ui/time";
import { decisionMessage } from "./decisions";
import type { UploaderDecision } from "./uploader-decisions.server";

/** The moderators' decisions about an uploader's videos, including deleted videos. */
export function DecisionList({ decisions }: { decisions: UploaderDecision[] }) {
  if (decisions.length === 0) {
    return (
      <p className="text-muted">
        No moderation decisions about your videos yet. Decisions and their reasons appear here, even
        if the video has been deleted.
      </p>
    );
  }
  return (
    <ul aria-label="Decisions about your videos" className="flex flex-col gap-5 text-sm">
      {decisions.map(({ id, decision, decidedAt, videoId, text }) => (
        <li key={id} className="flex min-w-0 flex-col gap-1 wrap-anywhere">
          <p dir="auto" className="font-medium">
            <DecidedVideo videoId={videoId} title={text?.title} />
          </p>
          <p className="text-muted figures">
            <Time value={decidedAt} /> · {decisionMessage(decision)}
          </p>
          <p dir="auto" className="whitespace-pre-line">
            {text?.reason ?? "The reason can’t be read at the moment. Ask the site’s owner for it."}
          </p>
        </li>
      ))}
    </ul>
  );
}

function DecidedVideo({ videoId, title }: { videoId: string | null; title: string | undefined }) {
  const name = title || "A video";
  if (videoId === null) return name;
  return (
    <Link
      to={`/admin/review/${encodeURIComponent(videoId)}`}
      className="inline-flex min-h-11 items-center underline underline-offset-4 mouse:min-h-0"
    >
      {name}
    </Link>
  );
}
