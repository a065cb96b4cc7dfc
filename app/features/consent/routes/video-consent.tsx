import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/meta/private-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminLinks } from "~/features/site/admin-navigation";
import { unlessBusy } from "~/platform/busy.server";
import { type Failure, failure, GONE } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { settings } from "~/platform/settings.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { StatusBadge } from "~/ui/badge";
import { AnswerFailure } from "~/ui/feedback/failure-notice";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { consentHref } from "../consent-address";
import {
  type ConsentErrors,
  type ConsentTexts,
  findVideoConsent,
  saveVideoConsent,
} from "../video-consent.server";
import { ConsentForm, ConsentState } from "../video-consent-form";

export const meta = privateMeta("Consent of a Video");

interface ConsentFailure extends Failure {
  typed?: ConsentTexts;
  fields?: ConsentErrors;
}

const PERMISSION = "/admin/videos/:id/consent";
const FAILED = "Nothing was changed.";
const CHANGED =
  "Somebody else has changed this record in the meantime. Compare it with what you entered, and save again.";

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
  const text = (name: string) => String(form.get(name) ?? "");
  const typed: ConsentTexts = {
    ...{ kind: text("kind"), people: text("people"), performers: text("performers") },
    ...{ recordedOn: text("recordedOn"), endsOn: text("endsOn") },
  };
  const videoId = params.id ?? "";
  const about = { videoId, userId: user.id, shown: text("shown") };
  const saved = await unlessBusy(saveVideoConsent(about, typed));
  const refuse = (error: ConsentFailure) => data({ error }, { status: error.status });
  if (saved === "gone") return refuse(failure(404, FAILED, { detail: GONE }));
  if (saved === "changed") {
    return refuse({ ...failure(409, FAILED, { detail: CHANGED }), typed });
  }
  if ("errors" in saved) return refuse({ ...failure(422, FAILED), typed, fields: saved.errors });
  throw redirectWithToast(consentHref(videoId), {
    title: "Consent",
    description: saved.hidden
      ? "The record is saved. The video is on hold because of it."
      : "The record is saved.",
    kind: "success",
  });
}

export default function VideoConsentPage() {
  const { consent, isRequired } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: ConsentFailure }>()?.error;
  const { video } = consent;
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Consent</h1>
        <AdminLinks />
      </header>
      <AnswerFailure error={error} />
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
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <ConsentForm
          typed={error?.typed ?? consent.typed}
          errors={error?.fields}
          shown={consent.shown}
        />
        <ConsentState {...{ consent, isRequired }} />
      </div>
    </div>
  );
}
