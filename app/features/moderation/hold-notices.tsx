import { Link } from "@remix-run/react";
import { Ban, ShieldAlert } from "lucide-react";

/**
 * Shows the reasons why a video can’t be published, with a link to its notes. Renders nothing for a video without
 * holds.
 */
export function HoldNotice({ id, title, held }: { id: string; title: string; held?: string }) {
  if (!held) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-4 text-sm text-muted">
      <span className="inline-flex min-w-0 items-start gap-1.5">
        <ShieldAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0">{held}</span>
      </span>
      <Link
        to={`/admin/review/${encodeURIComponent(id)}`}
        aria-label={`Notes on ${title}`}
        className="inline-flex min-h-11 items-center text-accent underline underline-offset-4 mouse:min-h-0"
      >
        Notes
      </Link>
    </p>
  );
}

/** Shows that a video resembles a video on the block list, with a link to the review page. */
export function BlockListMatchNotice({ id, title }: { id: string; title: string }) {
  return (
    <p className="flex items-start gap-1.5 text-sm text-muted">
      <Ban aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">
        Similar to a removed video.{" "}
        <Link
          to={`/admin/review/${encodeURIComponent(id)}`}
          aria-label={`Review ${title}`}
          className="py-2.5 text-accent underline underline-offset-4"
        >
          Review
        </Link>
      </span>
    </p>
  );
}
