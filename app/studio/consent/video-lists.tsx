import { Form, Link } from "@remix-run/react";
import { formatQuantity } from "~/shared/format";
import type { EndingRecord } from "~/trust/consent/ending.server";
import type { Lacking } from "~/trust/consent/lacking.server";
import { Button } from "~/ui/button";
import { PageSection } from "../page-section";
import { consentHref } from "./consent-address";

/** The public videos without a valid record, and what can be done about all of them. */
export function LackingVideos({
  lacking: { total, first },
  isRequired,
  mayHide,
}: {
  lacking: Lacking;
  isRequired: boolean;
  mayHide: boolean;
}) {
  return (
    <PageSection id="lacking" title="Public without a valid record">
      <p className="text-sm text-muted">
        {total === 0
          ? "Every public video has a valid record."
          : `${formatQuantity(total, "public video")} ${total === 1 ? "has" : "have"} no valid record.`}{" "}
        {isRequired
          ? "Nothing else is published without one. What was public before stays so until you hide it."
          : "Set REQUIRE_CONSENT=on, and nothing is published without one any more."}
      </p>
      {total > 0 && (
        <VideoLinks
          videos={first}
          label="Videos without a valid record"
          more={total - first.length}
        />
      )}
      {total > 0 && mayHide && (
        <Form method="post" action="/admin/consent" preventScrollReset>
          <Button name="intent" value="hide-lacking" variant="danger">
            Hide those without
          </Button>
        </Form>
      )}
    </PageSection>
  );
}

/** The records that end within 30 days. */
export function EndingRecords({ ending }: { ending: EndingRecord[] }) {
  if (ending.length === 0) return null;
  return (
    <PageSection id="ending" title="Records that end within 30 days">
      <p className="text-sm text-muted">On that day the video is hidden.</p>
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
