import { Link } from "@remix-run/react";
import { Ban } from "lucide-react";

/** Says that a video looks like one on the block list, with a link to its review page. */
export function LikeBlockedLine({ id, title }: { id: string; title: string }) {
  return (
    <p className="flex items-start gap-1.5 text-sm text-muted">
      <Ban aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">
        Looks like a removed video.{" "}
        <Link
          to={`/admin/review/${encodeURIComponent(id)}`}
          aria-label={`Look at ${title}`}
          className="py-2.5 text-accent underline underline-offset-4"
        >
          Look at it
        </Link>
      </span>
    </p>
  );
}
