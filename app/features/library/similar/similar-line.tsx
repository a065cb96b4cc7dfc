import { Form, Link } from "@remix-run/react";
import { Copy } from "lucide-react";
import { usePermissions } from "~/features/permissions/use-permissions";
import type { ManagedVideo } from "../list/managed-video";
import type { SimilarVideo } from "./similar-videos.server";

/** Which videos one looks like, each with a button to say that it is another; nothing for most. */
export function SimilarLine({
  video,
  similar = [],
  action,
}: {
  video: ManagedVideo;
  similar: SimilarVideo[] | undefined;
  /** The address of the list. */
  action: string;
}) {
  const may = usePermissions();
  return similar.map((other) => (
    <div key={other.id} className="flex flex-wrap items-center gap-x-4 text-sm text-muted">
      <span className="inline-flex min-w-0 items-start gap-1.5">
        <Copy aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0">
          Looks like:{" "}
          <Link
            to={
              other.isPublic
                ? `/video/${encodeURIComponent(other.id)}`
                : `/admin?tab=manage&edit=${encodeURIComponent(other.id)}`
            }
            className="py-2.5 text-accent underline underline-offset-4 break-words"
          >
            <bdi>{other.title}</bdi>
          </Link>
        </span>
      </span>
      {may("/admin not-same", video) && (
        <Form method="post" action={action} preventScrollReset>
          <input type="hidden" name="intent" value="not-same" />
          <input type="hidden" name="id" value={video.id} />
          <input type="hidden" name="other" value={other.id} />
          <button
            type="submit"
            aria-label={`Not the same: ${video.title} and ${other.title}`}
            className="min-h-11 underline underline-offset-4 hover:text-ink mouse:min-h-0"
          >
            Not the same
          </button>
        </Form>
      )}
    </div>
  ));
}
