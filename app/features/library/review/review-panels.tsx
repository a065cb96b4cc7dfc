import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { usePermissions } from "~/features/permissions/use-permissions";
import { DELETED_ACCOUNT } from "~/platform/activity/activity-labels";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { Field, TextAreaField } from "~/ui/forms/field";
import { Time } from "~/ui/time";
import type { PreviewLink } from "./preview-links.server";
import type { Review, ReviewFailure, ReviewNote } from "./review.server";

/** The notes on a video, with a form for a new note. */
export function Notes({
  notes,
  video,
  error,
}: {
  notes: ReviewNote[];
  video: Review["video"];
  error?: ReviewFailure;
}) {
  const isDraft = video.status === "review";
  const mayWrite = usePermissions()("/admin/review/:id note");
  return (
    <section aria-labelledby="notes" className="flex flex-col gap-4">
      <h2 id="notes" className="text-lg font-semibold">
        Notes
      </h2>
      {notes.length === 0 ? (
        <p className="text-sm text-muted">No notes yet.</p>
      ) : (
        <ol className="ruled rounded-lg border border-line bg-surface">
          {notes.map(({ id, email, text, createdAt }) => (
            <li key={id} className="p-3 sm:px-4">
              <p className="text-sm text-muted wrap-anywhere">
                {email ?? DELETED_ACCOUNT}, <Time value={createdAt} />
              </p>
              <p dir="auto" className="mt-1 wrap-anywhere whitespace-pre-line">
                {text}
              </p>
            </li>
          ))}
        </ol>
      )}
      {mayWrite && (
        <Form method="post" key={notes.length} className="flex flex-col gap-3">
          <TextAreaField label="Note" name="note" maxLength={2_000} defaultValue={error?.note} />
          <div className="flex flex-wrap gap-3">
            {isDraft && video.readyAt === null && (
              <Button name="intent" value="ready">
                Mark as ready
              </Button>
            )}
            {isDraft && video.readyAt !== null && (
              <Button name="intent" value="unready" variant="secondary">
                Mark as not ready
              </Button>
            )}
            <Button name="intent" value="note" variant="secondary">
              Add note
            </Button>
          </div>
        </Form>
      )}
    </section>
  );
}

/** A video's preview links, including a newly created one. */
export function PreviewLinks({ links, newLink }: { links: PreviewLink[]; newLink?: string }) {
  return (
    <section aria-labelledby="links" className="flex flex-col gap-4">
      <h2 id="links" className="text-lg font-semibold">
        Preview links
      </h2>
      <p className="text-sm text-muted">
        Anyone with a preview link can watch this video without an account until you revoke the
        link.
      </p>
      {newLink && (
        <Field
          label="New link"
          hint="Copy it now; it won’t be shown again."
          readOnly
          dir="ltr"
          value={newLink}
        />
      )}
      {links.length > 0 && (
        <ul className="ruled rounded-lg border border-line bg-surface">
          {links.map((link) => (
            <li key={link.id} className="flex flex-wrap items-center gap-3 p-3 sm:px-4">
              <p className="min-w-0 grow basis-48 text-sm text-muted wrap-anywhere">
                {`${link.createdBy ?? DELETED_ACCOUNT}, `}
                <Time value={link.createdAt} />
                {` · ${formatQuantity(link.views, "view")}`}
                {link.lastViewedAt && (
                  <>
                    , last viewed <Time value={link.lastViewedAt} />
                  </>
                )}
              </p>
              <Form method="post" preventScrollReset>
                <input type="hidden" name="link" value={link.id} />
                <Button name="intent" value="revoke" variant="danger" size="sm">
                  Revoke
                </Button>
              </Form>
            </li>
          ))}
        </ul>
      )}
      <Form method="post" preventScrollReset>
        <Button name="intent" value="link" variant="secondary">
          Create preview link
        </Button>
      </Form>
    </section>
  );
}

/** Explains why a video that was transferred from a blocked account is on hold, and how to release it. */
export function FormerUploaderPanel({ isToBePublic }: { isToBePublic: boolean }) {
  const may = usePermissions();
  return (
    <Panel id="former-uploader" title="Uploaded by a blocked account">
      <p className="text-sm text-muted">
        The account that uploaded this video is blocked or deleted. The video stays on hold until an
        editor has watched it and releases it.
      </p>
      {may("/admin/review/:id release-blocked") && (
        <Form method="post">
          <Button name="intent" value="release-blocked" variant="secondary">
            {isToBePublic ? "Release and publish" : "Release"}
          </Button>
        </Form>
      )}
    </Panel>
  );
}

const RESEMBLES_BLOCKED =
  "This video’s frames closely match those of a video on the block list. It stays on hold until an editor compares the two. If they are the same, delete this video. If not, mark it as different.";
const UNCOMPARED =
  "This video hasn’t been compared with the block list yet. It will be released automatically if nothing matches. An editor who has watched it can release it now.";
const RELEASE_OPTIONS =
  "This video stays on hold until the comparison succeeds or an editor who has watched it releases it.";

/**
 * The result of comparing a video with the block list, and the actions that it allows. For most videos, there is
 * nothing to show.
 */
export function ComparisonPanel({
  blockedMatches,
  uncompared,
}: Pick<Review, "blockedMatches" | "uncompared">) {
  const may = usePermissions();
  if (blockedMatches.length > 0) {
    return (
      <Panel id="comparison" title="Looks like a removed video">
        <p className="text-sm text-muted">{RESEMBLES_BLOCKED}</p>
        {may("/admin/review/:id other-video") && (
          <Form method="post">
            <input type="hidden" name="videos" value={blockedMatches.join(",")} />
            <Button name="intent" value="other-video" variant="secondary">
              Mark as different
            </Button>
          </Form>
        )}
      </Panel>
    );
  }
  if (!uncompared) return null;
  const { failure, isToBePublic } = uncompared;
  return (
    <Panel
      id="comparison"
      title={failure ? "Not compared with removed videos" : "Not compared with removed videos yet"}
    >
      {failure && (
        <p className="wrap-anywhere">
          The comparison failed: {failure.why} {failure.advice}
        </p>
      )}
      <p className="text-sm text-muted">{failure ? RELEASE_OPTIONS : UNCOMPARED}</p>
      {may("/admin/review/:id release-uncompared") && (
        <Form method="post" className="flex flex-wrap gap-3">
          {failure && (
            <Button name="intent" value="compare-again">
              Compare again
            </Button>
          )}
          <Button name="intent" value="release-uncompared" variant="secondary">
            {isToBePublic ? "Publish without comparison" : "Release without comparison"}
          </Button>
        </Form>
      )}
    </Panel>
  );
}

function Panel({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section
      aria-labelledby={id}
      className="mb-3 flex flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <h3 id={id} className="font-semibold">
        {title}
      </h3>
      {children}
    </section>
  );
}
