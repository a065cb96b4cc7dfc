import { Link } from "@remix-run/react";
import { Copy } from "lucide-react";
import { PLACEHOLDER_URL } from "~/features/catalogue/cards/poster";
import { type ConsentState, consentHref } from "~/features/consent/consent";
import { ConsentLine } from "~/features/consent/consent-line";
import { usePermissions } from "~/features/permissions/use-permissions";
import { videoStatisticsHref } from "~/shared/statistics-address";
import { MetadataBadge, StatusBadge } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { useToast } from "~/ui/feedback/toast";
import { copyText } from "~/ui/share";
import { useHydrated } from "~/ui/use-hydrated";
import type { EditableVideo } from "../list/managed-video";

/** What is edited: the picture as it is, the status, and where the public finds the video. */
export function EditedVideo({
  video,
  origin,
  consent,
  replaceHref,
  trimHref,
}: {
  video: EditableVideo;
  origin: string;
  /** How its record stands, where one is required. */
  consent: ConsentState | undefined;
  /** Where the file is replaced. */
  replaceHref: string;
  /** Where its start and end are set. */
  trimHref: string;
}) {
  const hydrated = useHydrated();
  const may = usePermissions();
  const show = useToast();
  const path = `/video/${encodeURIComponent(video.id)}`;
  const address = origin + path;
  const isPublic = video.status === "published" && !video.isHeld;

  async function copy() {
    if (await copyText(address)) {
      show({ kind: "success", title: "Link copied", description: "It is in your clipboard." });
    } else {
      const description = `The link could not be copied: ${address}`;
      show({ kind: "error", title: "Error", description });
    }
  }

  return (
    <div className="grid gap-4 sm:grid-cols-[12rem_minmax(0,1fr)]">
      <img
        src={video.thumbnailUrl ?? PLACEHOLDER_URL}
        alt="Thumbnail as it is"
        width={640}
        height={360}
        className="aspect-video w-full rounded-md bg-raised object-cover"
      />
      <div className="flex min-w-0 flex-col items-start gap-2 text-sm">
        <div className="flex flex-wrap gap-1">
          <StatusBadge status={video.status} isHeld={video.isHeld} />
          {video.hasMetadata && <MetadataBadge />}
        </div>
        {video.hasMetadata && (
          <p className="text-muted">
            Another tool added the files of this video. They may contain a location, a device or an
            author. To remove these, run <code>npm run jobs -- --all</code>.
          </p>
        )}
        <p className="text-muted">
          {isPublic ? "Public at" : "Not public. Once it is published, it is at"}
        </p>
        <p className="flex w-full min-w-0 items-center gap-2">
          <Link
            to={path}
            target="_blank"
            className="min-w-0 break-all text-accent underline underline-offset-4"
          >
            {address}
          </Link>
          {hydrated && (
            <Button
              type="button"
              variant="ghost"
              size="sm"
              aria-label="Copy the public address"
              title="Copy the public address"
              onClick={copy}
              className="min-h-11 min-w-11 shrink-0"
            >
              <Copy aria-hidden="true" className="size-4" />
            </Button>
          )}
        </p>
        <div className="flex flex-wrap gap-2">
          <ButtonLink to={replaceHref} preventScrollReset variant="secondary" size="sm">
            Replace the file
          </ButtonLink>
          <ButtonLink to={trimHref} preventScrollReset variant="secondary" size="sm">
            Start and end
          </ButtonLink>
          <ButtonLink to={videoStatisticsHref(video.id)} variant="secondary" size="sm">
            Statistics
          </ButtonLink>
          {may("/admin/videos/:id/consent") && !consent && (
            <ButtonLink to={consentHref(video.id)} variant="secondary" size="sm">
              Consent
            </ButtonLink>
          )}
        </div>
        <ConsentLine id={video.id} title={video.title} state={consent} />
      </div>
    </div>
  );
}
