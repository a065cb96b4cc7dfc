import { Form, Link } from "@remix-run/react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Field, SelectField, TextAreaField } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { RELEASE_LABELS } from "./consent";
import type { ConsentErrors, ConsentTexts, VideoConsent } from "./video-consent.server";

/** Shows whether a video has a valid record, and who appears in it. */
export function ConsentState({
  consent: { lacks, isHeld, performers, updatedAt, updatedBy },
  isRequired,
}: {
  consent: VideoConsent;
  isRequired: boolean;
}) {
  return (
    <PageSection id="state" title="State">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={lacks ? "warn" : "good"}>{lacks ? "Not valid" : "Valid"}</Badge>
        <span>{lacks ?? "Everyone shown has a checked record."}</span>
      </p>
      {isHeld && (
        <p className="text-sm text-bad">The video is on hold until its record is valid.</p>
      )}
      {lacks && !isHeld && (
        <p className="text-sm text-muted">
          {isRequired
            ? "It can’t be published without a valid record."
            : "It can still be published because REQUIRE_CONSENT is off."}
        </p>
      )}
      {performers.length > 0 && (
        <ul aria-label="Shown performers" className="ruled text-sm">
          {performers.map(({ id, name, ofAge, isReadable }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3">
              <Link
                to={`/admin/consent/${id}`}
                dir="auto"
                className="flex min-h-11 min-w-0 grow items-center hover:text-accent"
              >
                <span className="min-w-0 wrap-anywhere">{name}</span>
              </Link>
              {!ofAge && <Badge tone="warn">Not 18 on that day</Badge>}
              {!isReadable && <Badge tone="warn">Can't be read</Badge>}
            </li>
          ))}
        </ul>
      )}
      {updatedAt && (
        <p className="text-sm text-muted figures">
          Changed <Time value={updatedAt} /> by {updatedBy ?? "a deleted account"}.
        </p>
      )}
    </PageSection>
  );
}

/** Who is shown in a video, with what right, and until when. */
export function ConsentForm({
  typed,
  errors = {},
  shown,
}: {
  typed: ConsentTexts;
  errors?: ConsentErrors;
  shown: string;
}) {
  return (
    <PageSection id="consent-record" title="Record of this video">
      <Form method="post" className="flex flex-col gap-4" key={shown}>
        <input type="hidden" name="shown" value={shown} />
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField label="Rights" name="kind" defaultValue={typed.kind} error={errors.kind}>
            {Object.entries(RELEASE_LABELS).map(([kind, label]) => (
              <option key={kind} value={kind}>
                {label}
              </option>
            ))}
          </SelectField>
          <Field
            label="How many people are shown"
            name="people"
            type="number"
            inputMode="numeric"
            min={0}
            max={50}
            required
            defaultValue={typed.people}
            error={errors.people}
          />
        </div>
        <TextAreaField
          label="Everyone shown"
          name="performers"
          rows={4}
          hint={
            <>
              Stage names as they appear in{" "}
              <Link to="/admin/consent" className="text-accent underline">
                the records
              </Link>
              , one per line.
            </>
          }
          defaultValue={typed.performers}
          error={errors.performers}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Day of recording"
            name="recordedOn"
            type="date"
            required
            hint="Everyone shown must have been 18 or over on that day."
            defaultValue={typed.recordedOn}
            error={errors.recordedOn}
          />
          <Field
            label="Ends on"
            name="endsOn"
            type="date"
            hint="The video goes on hold on that day (UTC). Leave blank if the record has no end."
            defaultValue={typed.endsOn}
            error={errors.endsOn}
          />
        </div>
        <Button className="self-start">Save consent</Button>
      </Form>
    </PageSection>
  );
}
