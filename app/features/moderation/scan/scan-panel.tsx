import { Form, Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { usePermissions } from "~/features/permissions/use-permissions";
import { Button } from "~/ui/button";
import { CheckField } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import type { Scan, ScannedVideo } from "./scans.server";

const TITLES: Record<Scan["state"], string> = {
  waiting: "Waiting for the scan",
  hold: "Put on hold by the scan",
  refuse: "Refused by the scan",
  unchecked: "Not scanned",
  failed: "Not scanned",
};
const MESSAGES: Record<Scan["state"], string> = {
  waiting: "It will be released automatically when it passes the scan.",
  hold: "It stays on hold until an editor has checked it.",
  refuse:
    "The scan found material that must not be published. The file is kept, and stays on hold, until an editor deletes it or confirms that the scan is wrong.",
  unchecked: "The scan didn’t return a result and is retried every few minutes.",
  failed: "The scan failed and isn’t retried automatically.",
};

/** A video's scans that are unfinished or have found something, with their actions. */
export function ScanPanel({ scans, isToBePublic }: { scans: Scan[]; isToBePublic: boolean }) {
  const may = usePermissions();
  return scans.map((scan) => (
    <section
      key={scan.id}
      aria-labelledby={`scan-${scan.id}`}
      className="mb-3 flex flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <h3 id={`scan-${scan.id}`} className="font-semibold">
        {scan.isReplacement ? `New file: ${TITLES[scan.state].toLowerCase()}` : TITLES[scan.state]}
      </h3>
      {scan.reason && may("/admin/review/:id release-scan") && (
        <p className="wrap-anywhere">
          Result: <bdi>{scan.reason}</bdi>
        </p>
      )}
      <p className="text-sm text-muted">{MESSAGES[scan.state]}</p>
      {scan.state !== "waiting" && may("/admin/review/:id release-scan") && (
        <Form method="post" className="flex flex-col items-start gap-3">
          <input type="hidden" name="scan" value={scan.id} />
          {scan.state === "refuse" && (
            <CheckField name="sure">
              I have checked the video, and the scan result is wrong
            </CheckField>
          )}
          <div className="flex flex-wrap gap-3">
            <Button name="intent" value="scan-again">
              Scan again
            </Button>
            <Button name="intent" value="release-scan" variant="danger">
              {scan.isReplacement ? "Use new file" : isToBePublic ? "Publish" : "Release"} anyway
            </Button>
          </div>
        </Form>
      )}
    </section>
  ));
}

const VERDICTS: Record<ScannedVideo["verdict"], string> = {
  refuse: "refused",
  hold: "on hold",
  unchecked: "not scanned",
};

/** The videos with scan findings for which no editor has made a decision yet. Renders nothing if there are none. */
export function UndecidedScans({ scanned }: { scanned: ScannedVideo[] }) {
  if (scanned.length === 0) return null;
  return (
    <PageSection id="scans" title="Scan findings">
      <p className="text-sm text-muted">
        The scan flagged these videos or couldn’t check them. New videos stay on hold until an
        editor decides. Videos that were already public aren’t hidden when a scan fails.
      </p>
      <ReviewLinks
        label="Scan findings"
        videos={scanned.map(({ id, title, verdict, reason }) => ({
          ...{ id, title },
          about: (
            <>
              {VERDICTS[verdict]}: <bdi>{reason}</bdi>
            </>
          ),
        }))}
      />
    </PageSection>
  );
}

/** Links to the videos' review pages. */
export function ReviewLinks({
  videos,
  label,
}: {
  videos: { id: string; title: string; about: ReactNode }[];
  label?: string;
}) {
  return (
    <ul aria-label={label} className="flex flex-col gap-2 text-sm">
      {videos.map(({ id, title, about }, index) => (
        // A video may have several findings.
        <li key={`${id} ${index}`} className="flex flex-wrap items-center gap-x-3">
          <Link
            to={`/admin/review/${encodeURIComponent(id)}`}
            className="min-w-0 py-2.5 text-accent underline underline-offset-4 wrap-anywhere"
          >
            <bdi>{title}</bdi>
          </Link>
          <span className="min-w-0 text-muted wrap-anywhere">{about}</span>
        </li>
      ))}
    </ul>
  );
}
