import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Form, Link, useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminPage } from "~/features/site/admin-navigation";
import { unlessBusy } from "~/platform/busy.server";
import { type Failure, failure, GONE } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { settings } from "~/platform/settings.server";
import { readForm, readSmallForm } from "~/platform/small-form.server";
import { respondToForm } from "~/platform/toast.server";
import { Badge, StatusBadge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { Field, Options, SelectField, TextAreaField } from "~/ui/forms/field";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { consentHref, RELEASE_LABELS } from "../consent";
import { RowLink } from "../performer-panels";
import {
  CONSENT_FORM,
  type ConsentErrors,
  type ConsentTexts,
  findVideoConsent,
  type SavedConsent,
  saveVideoConsent,
  type VideoConsent,
} from "../video-consent.server";

export const meta = privateMeta("Consent record");

interface ConsentFailure extends Failure {
  typed?: ConsentTexts;
  fields?: ConsentErrors;
}

const PERMISSION = "/admin/videos/:id/consent";
const FAILED = "Nothing was changed.";
const CHANGED =
  "Someone else changed this record in the meantime. Compare it with your changes, then save again.";

export async function loader({ request, params }: LoaderFunctionArgs) {
  await requirePermission(request, PERMISSION);
  const consent = findVideoConsent(params.id ?? "");
  if (!consent) throw new Response(null, { status: 404, statusText: "Not Found" });
  return { consent, isRequired: settings().requireConsent };
}

export async function action({ request, params }: ActionFunctionArgs) {
  const user = await requirePermission(request, PERMISSION);
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  const { shown, ...typed } = readForm(CONSENT_FORM, form)!;
  const videoId = params.id ?? "";
  const about = { videoId, userId: user.id, shown };
  const saved = await unlessBusy(saveVideoConsent(about, typed));
  return respondToForm<ConsentFailure>(consentHref(videoId), answerOf(saved, typed));
}

function answerOf(saved: SavedConsent, typed: ConsentTexts): ConsentFailure | ToastMessage {
  if (saved === "gone") return failure(404, FAILED, { detail: GONE });
  if (saved === "changed") return failure(409, FAILED, { detail: CHANGED, typed });
  if ("errors" in saved) return { ...failure(422, FAILED), typed, fields: saved.errors };
  const held = saved.hidden ? " The video is now on hold." : "";
  return success("Consent", `Record saved.${held}`);
}

export default function VideoConsentPage() {
  const { consent, isRequired } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: ConsentFailure }>()?.error;
  const { video } = consent;
  return (
    <AdminPage title="Consent" error={error}>
      <p className="flex flex-wrap items-center gap-3">
        <StatusBadge status={video.status} isHeld={video.held === 1} />
        <Link
          to={`/admin/review/${encodeURIComponent(video.id)}`}
          dir="auto"
          className="inline-flex min-h-11 min-w-0 items-center font-semibold hover:text-accent"
        >
          <span className="min-w-0 wrap-anywhere">{video.title}</span>
        </Link>
      </p>
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
        <ConsentForm
          typed={error?.typed ?? consent.typed}
          errors={error?.fields}
          shown={consent.shown}
        />
        <ConsentState {...{ consent, isRequired }} />
      </div>
    </AdminPage>
  );
}

/** Shows whether a video has a valid consent record, and who appears in the video. */
function ConsentState({
  consent: { lacks, isHeld, performers, updatedAt, updatedBy },
  isRequired,
}: {
  consent: VideoConsent;
  isRequired: boolean;
}) {
  return (
    <PageSection id="state" title="Status">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={lacks ? "warn" : "good"}>{lacks ? "Not valid" : "Valid"}</Badge>
        <span>{lacks ?? "Everyone shown has a verified record."}</span>
      </p>
      {isHeld && (
        <p className="text-sm text-bad">The video is on hold until its record is valid.</p>
      )}
      {lacks && !isHeld && (
        <p className="text-sm text-muted">
          {isRequired
            ? "The video can’t be published without a valid record."
            : "The video can still be published because REQUIRE_CONSENT is off."}
        </p>
      )}
      {performers.length > 0 && (
        <ul aria-label="Performers shown" className="ruled text-sm">
          {performers.map(({ id, name, ofAge, isReadable }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3">
              <RowLink to={`/admin/consent/${id}`}>{name}</RowLink>
              {!ofAge && <Badge tone="warn">Under 18 on the recording date</Badge>}
              {!isReadable && <Badge tone="warn">Unreadable</Badge>}
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

function ConsentForm({
  typed,
  errors = {},
  shown,
}: {
  typed: ConsentTexts;
  errors?: ConsentErrors;
  shown: string;
}) {
  return (
    <PageSection id="consent-record" title="Consent record">
      <Form method="post" className="flex flex-col gap-4" key={shown}>
        <input type="hidden" name="shown" value={shown} />
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <SelectField
            label="Legal basis"
            name="kind"
            defaultValue={typed.kind}
            error={errors.kind}
          >
            <Options labels={RELEASE_LABELS} />
          </SelectField>
          <Field
            label="Number of people shown"
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
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <Field
            label="Recording date"
            name="recordedOn"
            type="date"
            required
            hint="Everyone shown must have been 18 or over on that date."
            defaultValue={typed.recordedOn}
            error={errors.recordedOn}
          />
          <Field
            label="Expires on"
            name="endsOn"
            type="date"
            hint="The video goes on hold on that date (UTC). Leave blank if the record doesn’t expire."
            defaultValue={typed.endsOn}
            error={errors.endsOn}
          />
        </div>
        <Button className="self-start">Save consent</Button>
      </Form>
    </PageSection>
  );
}
