import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { type ClientLoaderFunctionArgs, useLoaderData, useRevalidator } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import { useEffect, useMemo } from "react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { consentHref } from "~/features/consent/consent";
import { requiredTerms } from "~/features/moderation/uploaders/terms.server";
import { StatCards } from "~/features/operations/statistics/stat-cards";
import { assertAllowed, currentUser, requirePermission } from "~/features/permissions/guard.server";
import { allows, ownVideosOf } from "~/features/permissions/permissions";
import type { SessionUser } from "~/features/permissions/session.server";
import { WITHOUT_FFMPEG } from "~/features/processing/queue/failure-reasons";
import { AdminLinks, AdminTabs } from "~/features/site/admin-navigation";
import { quotaLine } from "~/features/upload/quota.server";
import { publishReceivedForm } from "~/features/upload/receive-upload.server";
import { uploadStart } from "~/features/upload/templates.server";
import { successMessage, type UploadFailure } from "~/features/upload/upload-fields";
import { UploadForm } from "~/features/upload/upload-form";
import type { ReceivedForm } from "~/media/intake/multipart.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { retryAfter } from "~/platform/retry-after.server";
import { settings } from "~/platform/settings.server";
import { siteOrigin } from "~/platform/site-origin.server";
import { redirectWithToast } from "~/platform/toast.server";
import { SITE_VERSION } from "~/platform/version.server";
import type { FileLimits } from "~/shared/file-rules";
import { ButtonLink } from "~/ui/button";
import { PageFailure } from "~/ui/feedback/failure-notice";
import { success } from "~/ui/feedback/toast-message";
import { useErrorToast } from "~/ui/feedback/use-error-toast";
import { EnteredTexts, ResendForm } from "~/ui/forms/resend-form";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import type { BulkPreview, DeleteConfirmation } from "../bulk/bulk";
import { manageHref, readManageView } from "../list/manage-address";
import type { FormFailure } from "../managed-video";
import {
  loadUnlessSignedOut,
  type SignedOutResponse,
  SignInPrompt,
  useRememberedData,
  useSessionCheck,
} from "../signed-out";
import { loadManage, loadStats, ownView } from "./admin-page.server";
import { ActionError, ManageTab } from "./manage-tab";
import {
  isSignedOutResponse,
  performIntent,
  respondSignedOut,
  withAdminForm,
} from "./studio-action.server";

export const meta = privateMeta("Studio");

/** The action data for this page. */
interface ActionData {
  upload?: UploadFailure;
  studio?: FormFailure;
  confirmation?: DeleteConfirmation;
  preview?: BulkPreview;
  signedOut?: SignedOutResponse;
}

export async function loader({ request }: LoaderFunctionArgs) {
  const signedOut = isSignedOutResponse() && !(await currentUser(request));
  if (signedOut) return { ...SIGNED_OUT, limits: uploadLimits(), now: Date.now() };
  const user = await requirePermission(request, "/admin");
  const own = ownVideosOf(user, "/admin");
  const parameters = new URL(request.url).searchParams;
  const statistics = await loadStats(own?.userId);
  const shell = {
    statistics,
    limits: uploadLimits(),
    terms: requiredTerms(),
    quota: quotaLine(user.id),
    ffmpeg: ffmpegAvailable(),
    now: Date.now(),
    version: SITE_VERSION,
    origin: siteOrigin(request),
    signedOut,
  };
  if (parameters.get("tab") !== "manage") {
    return { ...shell, manage: undefined, start: uploadStart(user.id, parameters.get("start")) };
  }
  const manage = await loadManage(parameters, user.id, own);
  const gone = manage.dialog?.video === null;
  return data({ ...shell, manage, start: undefined }, { status: gone ? 404 : 200 });
}

/** The loader data after the session has ended, when only the action's response is shown. */
const SIGNED_OUT = {
  statistics: {} as Awaited<ReturnType<typeof loadStats>>,
  ffmpeg: true,
  terms: undefined,
  quota: undefined,
  version: "",
  origin: "",
  signedOut: true,
  manage: undefined,
  start: undefined,
};

/** If a refresh finds that the session has ended, the page keeps its current content, so that no input is lost. */
export function clientLoader({ request, serverLoader }: ClientLoaderFunctionArgs) {
  return loadUnlessSignedOut(request, () => serverLoader<typeof loader>());
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await currentUser(request);
  if (!user) return respondSignedOut(request);
  requireOwnOrigin(request);
  assertAllowed(user, "/admin");
  const requested = readManageView(new URL(request.url).searchParams);
  const own = ownVideosOf(user, "/admin");
  const view = ownView(requested, own);
  return withAdminForm(request, { userId: user.id, own }, async ({ kind, form }) => {
    if (kind === "upload") return handleUpload(form, user);
    const response = await performIntent(form, { user, view });
    if ("status" in response) {
      const { status, retryAfterSeconds } = response;
      return data({ studio: response }, { status, headers: retryAfter(retryAfterSeconds) });
    }
    if ("confirmation" in response || "preview" in response) return data(response, { status: 200 });
    throw redirectWithToast(manageHref(view), response);
  });
}

/**
 * Handles the upload form, whose `intent` is `publish` or `draft`. The guard and the origin check have already run.
 *
 * @returns the failure with its status; the page shows the form again with the entered text.
 * @throws the redirect with the toast once the video is stored.
 */
async function handleUpload(form: ReceivedForm, user: SessionUser) {
  const outcome = await publishReceivedForm(form, user.id, ownVideosOf(user, "/admin"));
  if (!outcome.ok) {
    const upload: UploadFailure = outcome.failure;
    const { status, retryAfterSeconds } = outcome;
    return data({ upload }, { status, headers: retryAfter(retryAfterSeconds) });
  }
  const { id, needsConsent } = outcome.video;
  // Users who may edit consent records are redirected to the video's record.
  const addsConsent = needsConsent && allows(user, "/admin/videos/:id/consent");
  const toast = success("Success!", successMessage(outcome.video));
  throw redirectWithToast(addsConsent ? consentHref(id) : "/admin", toast);
}

/** Returns the size limits that the upload form shows. */
function uploadLimits(): FileLimits {
  const { maxVideoBytes, maxThumbnailBytes } = settings();
  return { maxVideoBytes, maxThumbnailBytes };
}

export default function Admin() {
  useLiveRefresh({ jobs: true });
  useSessionCheck();
  const loaded = useLoaderData<typeof loader>();
  useRememberedData(loaded);
  const { statistics, manage, limits, ffmpeg, now, version, signedOut } = loaded;
  const response = useFormResponse<ActionData>();
  useSignedOutResponse(response?.signedOut);
  const isUpload = !manage && !response?.signedOut?.edit && !response?.signedOut?.fields;
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3 max-sm:gap-y-0">
        <h1 className="text-xl font-semibold">
          Studio
          {version && <span className="ml-2 text-sm font-normal text-muted">v{version}</span>}
        </h1>
        <AdminLinks />
        <ButtonLink to="/" variant="ghost" size="sm" className="max-sm:-ml-3 forced-colors:ml-0">
          <ArrowLeft aria-hidden="true" className="size-4" />
          Back to Videos
        </ButtonLink>
      </header>
      {statistics.toast && <PageFailure toast={statistics.toast} />}
      {!ffmpeg && (
        <p role="status" className="rounded-lg border border-line bg-surface p-4 text-sm">
          {WITHOUT_FFMPEG}
        </p>
      )}
      {version && <StatCards stats={statistics.stats} />}
      {version && <AdminTabs current={manage ? "manage" : "upload"} />}
      {signedOut && (
        <SignInPrompt
          message={response?.signedOut?.message}
          link={isUpload ? "Sign In to Upload" : "Sign In"}
        />
      )}
      {manage ? (
        <ManageTab
          manage={manage}
          error={response?.studio}
          confirmation={response?.confirmation}
          preview={response?.preview}
          now={now}
          terms={loaded.terms}
          edit={{ limits, signedOut, origin: loaded.origin }}
        />
      ) : response?.signedOut?.edit ? (
        <EnteredTexts fields={Object.entries(response.signedOut.edit)} />
      ) : response?.signedOut?.fields ? (
        <ResendForm fields={response.signedOut.fields} />
      ) : (
        <>
          <ActionError
            error={response?.studio}
            closeTo="/admin?tab=manage"
            edit={{ limits, signedOut, origin: loaded.origin }}
          />
          <UploadForm
            limits={limits}
            start={loaded.start}
            terms={loaded.terms}
            quota={loaded.quota}
            failure={response?.upload ?? signedOutUpload(response)}
          />
        </>
      )}
    </div>
  );
}

/** Shows that the form was rejected, and revalidates the page, which then shows the sign-in prompt. */
function useSignedOutResponse(signedOut: SignedOutResponse | undefined): void {
  const { revalidate } = useRevalidator();
  useErrorToast(useMemo(() => signedOut && { description: signedOut.message }, [signedOut]));
  useEffect(() => {
    if (signedOut) revalidate();
  }, [signedOut, revalidate]);
}

function signedOutUpload(response: ActionData | undefined): UploadFailure | undefined {
  const texts = response?.signedOut?.upload;
  return texts && { message: "", texts, fields: {} };
}
