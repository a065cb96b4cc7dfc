import { Form, Link } from "@remix-run/react";
import { Film, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { formatQuantity } from "~/shared/format";
import { Badge } from "~/ui/badge";
import { Button, ButtonLink, buttonClass } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { FileField, Options, SelectField } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { KIND_LABELS } from "../reports/decisions";
import { ReviewLinks } from "../scan/scan-panel";
import type { BlockListPage, ListedEntry } from "./block-list-page.server";
import { BLOCK_LIST, entryName } from "./entry-name";

const REASONS: Record<ListedEntry["reason"], string> = {
  ...KIND_LABELS,
  other: "Another reason",
};

const STATES: Record<Exclude<ListedEntry["state"], "ready">, string> = {
  waiting: "Extracting frames",
  few: "Only a few frames",
  none: "Same file only",
};

export function BlockedVideos({
  entries,
  here,
  mayRemove,
}: {
  entries: ListedEntry[];
  here: string;
  mayRemove: boolean;
}) {
  return (
    <Entries label="Blocked videos" entries={entries}>
      {(entry) =>
        mayRemove && (
          <ButtonLink
            to={`${here}${here.includes("?") ? "&" : "?"}remove=${entry.id}`}
            preventScrollReset
            variant="ghost"
            size="sm"
            aria-label={`Remove ${entryName(entry)} from the block list`}
          >
            Remove
          </ButtonLink>
        )
      }
    </Entries>
  );
}

/** The removed entries that can be restored to the list. Renders nothing if there are none. */
export function RemovedEntries({
  removed,
  mayPutBack,
}: Pick<BlockListPage, "removed"> & { mayPutBack: boolean }) {
  if (removed.length === 0) return null;
  return (
    <PageSection id="removed" title="Removed from the list">
      <p className="text-sm text-muted">
        These videos can be uploaded again. An entry can be restored for 30 days after its removal.
      </p>
      <Entries label="Removed entries" entries={removed}>
        {(entry) =>
          mayPutBack && (
            <Form method="post" action={BLOCK_LIST} preventScrollReset>
              <input type="hidden" name="entry" value={entry.id} />
              <Button
                name="intent"
                value="put-back"
                variant="secondary"
                size="sm"
                aria-label={`Restore ${entryName(entry)} to the block list`}
              >
                <Undo2 aria-hidden="true" className="size-4" />
                Restore
              </Button>
            </Form>
          )
        }
      </Entries>
    </PageSection>
  );
}

export function RemoveDialog({
  entry,
  here,
  busy,
}: {
  entry: ListedEntry;
  here: string;
  busy: boolean;
}) {
  const name = entryName(entry);
  return (
    <ConfirmDialog
      title={`Remove ${name} from the block list?`}
      description={REASONS[entry.reason]}
      list={here}
      busy={busy}
      label="Remove"
      busyLabel="Removing..."
      consequences={[
        ...(entry.digests === null
          ? [
              "The same file, and copies of it, can be uploaded again.",
              "Videos that are on hold because they resemble this video stay on hold.",
            ]
          : [
              `Files that match any of its ${formatQuantity(entry.digests, "digest")} can be uploaded again.`,
            ]),
        "You can restore the entry for 30 days.",
      ]}
    >
      <input type="hidden" name="intent" value="remove" />
      <input type="hidden" name="entry" value={entry.id} />
    </ConfirmDialog>
  );
}

function Entries({
  label,
  entries,
  children,
}: {
  label: string;
  entries: ListedEntry[];
  children: (entry: ListedEntry) => ReactNode;
}) {
  return (
    <ul aria-label={label} className="ruled rounded-lg border border-line bg-surface text-sm">
      {entries.map((entry) => (
        <li key={entry.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 p-3 sm:px-4">
          <Thumbnail entry={entry} />
          <div className="flex min-w-0 grow basis-60 flex-col gap-1">
            <p dir="auto" className="font-medium wrap-anywhere">
              {entry.title ?? `Entry ${entry.id}`}
            </p>
            <p className="flex flex-wrap items-center gap-2 text-muted figures">
              <span>
                {REASONS[entry.reason]}, {entry.isImported ? "imported, blocked" : "blocked here"}{" "}
                <Time value={entry.blockedAt} />
                {entry.removedAt && (
                  <>
                    , removed from the list <Time value={entry.removedAt} />
                  </>
                )}
              </span>
              {entry.place === "trash" && <Badge>In the trash</Badge>}
              {entry.digests !== null ? (
                <Badge>{formatQuantity(entry.digests, "digest")}</Badge>
              ) : (
                entry.state !== "ready" && <Badge>{STATES[entry.state]}</Badge>
              )}
            </p>
          </div>
          {entry.reportId && (
            <Link
              to={`/admin/reports/${encodeURIComponent(entry.reportId)}`}
              aria-label={`Report about ${entryName(entry)}`}
              className="inline-flex min-h-11 items-center text-accent underline underline-offset-4"
            >
              Report
            </Link>
          )}
          {children(entry)}
        </li>
      ))}
    </ul>
  );
}

/** The thumbnail is blurred, because moderators have already seen the video. */
function Thumbnail({ entry: { id, hasThumbnail } }: { entry: ListedEntry }) {
  const className = "h-12 w-20 shrink-0 rounded-md bg-raised object-cover";
  if (!hasThumbnail) {
    return (
      <span className={`${className} grid place-items-center text-muted`}>
        <Film aria-hidden="true" className="size-5" />
      </span>
    );
  }
  return (
    <span className={`${className} overflow-hidden`}>
      <img
        src={`${BLOCK_LIST}/${id}/thumbnail`}
        alt=""
        loading="lazy"
        decoding="async"
        className="size-full object-cover blur-xs"
      />
    </span>
  );
}

export function Matches({ matches }: Pick<BlockListPage, "matches">) {
  if (matches.length === 0) return null;
  return (
    <PageSection id="matches" title="Matches on this site">
      <p className="text-sm text-muted">
        These videos match the block list. Review each one, then delete it or mark it as different.
      </p>
      <ReviewLinks
        videos={matches.map((match) => ({
          ...match,
          about: match.isSame ? "same file" : "looks similar",
        }))}
      />
    </PageSection>
  );
}

/** The videos that are on hold because they couldn't be compared. Renders nothing if there are none. */
export function FailedComparisons({ uncompared }: Pick<BlockListPage, "uncompared">) {
  if (uncompared.length === 0) return null;
  return (
    <PageSection id="uncompared" title="Failed comparisons">
      <p className="text-sm text-muted">
        These videos are on hold because the comparison with the block list failed. Retry the
        comparison, or watch the video and publish it without a comparison.
      </p>
      <ReviewLinks videos={uncompared.map(({ why, ...video }) => ({ ...video, about: why }))} />
    </PageSection>
  );
}

export function ImportExport({ busy }: { busy: boolean }) {
  return (
    <PageSection id="exchange" title="Import and export">
      <p className="text-sm text-muted">
        The exported file contains only hashes, reasons and dates. It doesn’t contain images or
        names. Imported digest lists aren’t exported.
      </p>
      <p>
        <a href="/admin/block-list/block-list.jsonl" download className={buttonClass("secondary")}>
          Export list
        </a>
      </p>
      <Form
        method="post"
        encType="multipart/form-data"
        className="flex flex-col gap-4"
        preventScrollReset
      >
        <FileField
          label="Block list or digest list"
          hint="A block list exported by this software, or MD5 and SHA-256 digests: one per line, the output of sha256sum or md5sum, or CSV with a header. At most 512 MB. Importing doesn’t hide videos. Matching videos on this site are listed on this page."
          name="list"
          accept=".jsonl,.txt,.csv,.tsv,.md5,.sha256"
          required
        />
        <SelectField label="Reason for a digest list" name="reason" defaultValue="under-age">
          <Options labels={REASONS} />
        </SelectField>
        <div>
          <Button name="intent" value="import" busy={busy} busyLabel="Importing...">
            Import list
          </Button>
        </div>
      </Form>
    </PageSection>
  );
}
