import { Form, Link } from "@remix-run/react";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { consentHref } from "./consent-address";
import type { EndingRecord } from "./ending.server";
import type { HiddenVideos } from "./hide-lacking.server";
import type { Lacking } from "./lacking.server";

/** The public videos without a valid record, with the form that hides all of them. */
export function LackingVideos({
  lacking: { total, first },
  mayHide,
}: {
  lacking: Lacking;
  mayHide: boolean;
}) {
  return (
    <PageSection id="lacking" title="Public without a valid record">
      <p className="text-sm text-muted">
        {total === 0
          ? "Every public video has a valid record."
          : `${formatQuantity(total, "public video")} ${total === 1 ? "has" : "have"} no valid record.`}{" "}
        New videos can’t be published without one. Videos that were already public stay public until
        you hide them.
      </p>
      {total > 0 && (
        <VideoLinks
          videos={first}
          label="Videos without a valid record"
          more={total - first.length}
        />
      )}
      {total > 0 && mayHide && (
        <Form
          method="post"
          action="/admin/consent"
          preventScrollReset
          className="flex flex-col items-start gap-3"
        >
          <label className="flex min-h-11 items-center gap-2 text-sm">
            <input type="checkbox" name="sure" value="1" required />
            Hide {formatQuantity(total, "video")} from visitors. You can undo this later.
          </label>
          <Button name="intent" value="hide-lacking" variant="danger">
            Hide {formatQuantity(total, "video")}
          </Button>
        </Form>
      )}
    </PageSection>
  );
}

/** Groups of videos hidden because they had no valid record, which can be released. */
export function HiddenForConsent({
  hidden,
  mayUndo,
}: {
  hidden: HiddenVideos[];
  mayUndo: boolean;
}) {
  if (hidden.length === 0) return null;
  return (
    <PageSection id="hidden" title="Hidden without a valid record">
      <ul className="ruled text-sm">
        {hidden.map(({ source, videos, since, isBatch }) => (
          <li key={source} className="flex flex-wrap items-center justify-between gap-x-4 py-2">
            <span>
              {formatQuantity(videos, "video")},{" "}
              {isBatch ? "hidden together on " : "published while a record was required, since "}
              <Time value={since} />
            </span>
            {mayUndo && (
              <Form
                method="post"
                action="/admin/consent"
                preventScrollReset
                className="flex flex-wrap items-center gap-3"
              >
                <input type="hidden" name="source" value={source} />
                {!isBatch && (
                  <label className="flex min-h-11 items-center gap-2">
                    <input type="checkbox" name="sure" value="1" required />
                    Make them public without a record
                  </label>
                )}
                <Button name="intent" value="undo-hiding" variant="secondary">
                  {isBatch ? "Undo" : `Release ${formatQuantity(videos, "video")}`}
                </Button>
              </Form>
            )}
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

/** The records that end within 30 days. */
export function EndingRecords({ ending }: { ending: EndingRecord[] }) {
  if (ending.length === 0) return null;
  return (
    <PageSection id="ending" title="Records that end within 30 days">
      <p className="text-sm text-muted">A video goes on hold on the day its record ends.</p>
      <VideoLinks videos={ending} label="Records that end" />
    </PageSection>
  );
}

function VideoLinks({
  videos,
  label,
  more = 0,
}: {
  videos: { id: string; title: string; endsOn?: string }[];
  label: string;
  more?: number;
}) {
  return (
    <ul aria-label={label} className="ruled text-sm">
      {videos.map(({ id, title, endsOn }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3">
          <Link
            to={consentHref(id)}
            dir="auto"
            className="flex min-h-11 min-w-0 grow items-center hover:text-accent"
          >
            <span className="min-w-0 wrap-anywhere">{title}</span>
          </Link>
          {endsOn && <time className="text-muted figures">{endsOn}</time>}
        </li>
      ))}
      {more > 0 && <li className="py-3 text-muted">and {formatQuantity(more, "other")}</li>}
    </ul>
  );
}
