import { Form, Link } from "@remix-run/react";
import { formatBytes } from "~/shared/format-bytes";
import { Button } from "~/ui/button";
import type { Download } from "./downloads";

const STATES: Record<Download["state"], string> = {
  waiting: "Waits for its turn",
  running: "Is being fetched",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** What is fetched, waits and has ended, the newest first. */
export function DownloadList({ downloads, busy }: { downloads: Download[]; busy: boolean }) {
  return (
    <ul className="flex flex-col ruled">
      {downloads.map((download) => (
        <li key={download.id} className="flex flex-wrap items-center gap-3 py-3">
          <div className="flex min-w-0 flex-1 basis-56 flex-col gap-1">
            <p className="font-medium wrap-anywhere">
              {download.videoId ? (
                <Link
                  to={`/admin?tab=manage&edit=${download.videoId}`}
                  className="text-accent hover:underline"
                >
                  {download.title}
                </Link>
              ) : (
                download.title
              )}
            </p>
            <p className="text-sm text-muted wrap-anywhere">{download.address}</p>
            <State download={download} />
          </div>
          {(download.state === "waiting" || download.state === "running") && (
            <Form method="post">
              <input type="hidden" name="id" value={download.id} />
              <Button variant="secondary" size="sm" name="intent" value="cancel" disabled={busy}>
                Cancel<span className="sr-only"> “{download.title}”</span>
              </Button>
            </Form>
          )}
        </li>
      ))}
    </ul>
  );
}

function State({ download: { state, reason, progress } }: { download: Download }) {
  if (!progress) {
    return (
      <p className={state === "failed" ? "text-sm text-bad" : "text-sm text-muted"}>
        {STATES[state]}
        {reason && `: ${reason}`}
      </p>
    );
  }
  const { bytes, total } = progress;
  const share = total ? Math.floor((100 * bytes) / total) : undefined;
  return (
    <>
      <progress
        className="h-2 w-full accent-accent"
        value={share}
        max={100}
        aria-label="How much of the file has come"
      />
      <p className="text-sm text-muted figures">
        {STATES[state]}: {share !== undefined && `${share} %, `}
        {formatBytes(bytes)}
        {total !== undefined && ` of ${formatBytes(total)}`}
      </p>
    </>
  );
}
