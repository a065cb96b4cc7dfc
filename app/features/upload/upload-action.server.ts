import { data } from "@remix-run/node";
import { consentHref } from "~/features/consent/consent";
import { assertAllowed, currentUser, type SessionUser } from "~/features/permissions/guard.server";
import { ownVideosOf } from "~/features/permissions/own-videos";
import { allows, type Permission } from "~/features/permissions/permissions";
import type { ReceivedForm } from "~/media/intake/multipart.server";
import { retryAfter } from "~/platform/retry-after.server";
import { settings } from "~/platform/settings.server";
import { redirectWithToast } from "~/platform/toast.server";
import type { FileLimits } from "~/shared/file-rules";
import { publishReceivedForm } from "./receive-upload.server";
import { SENTENCES, successSentence, type UploadFailure } from "./upload-fields";

/** What the upload form shows about sizes. */
export function uploadLimits(): FileLimits {
  const { maxVideoBytes, maxThumbnailBytes } = settings();
  return { maxVideoBytes, maxThumbnailBytes };
}

/**
 * Handles the upload form, intent `publish` or `draft`. The guard and the origin check come first.
 *
 * @returns the failure with its status, for the page to show again with the texts.
 * @throws the redirect with the toast when the upload was published.
 */
export async function handleUpload(form: ReceivedForm, user: SessionUser) {
  const outcome = await publishReceivedForm(form, user.id, ownVideosOf(user, "/admin"));
  if (!outcome.ok) {
    const upload: UploadFailure = outcome.failure;
    const { status, retryAfterSeconds } = outcome;
    return data({ upload }, { status, headers: retryAfter(retryAfterSeconds) });
  }
  const { id, needsConsent } = outcome.video;
  // Where its record is written, for whoever may write it.
  const mends = needsConsent && allows(user, "/admin/videos/:id/consent");
  throw redirectWithToast(mends ? consentHref(id) : "/admin", {
    title: "Success!",
    description: successSentence(outcome.video),
    kind: "success",
  });
}

/**
 * The user, for addresses that scripts call: they would follow a redirect and see a success.
 *
 * @throws a 401 Response, or a 403 Response where their role does not have the permission.
 */
export async function requireUploader(
  request: Request,
  permission: Permission,
): Promise<SessionUser> {
  const user = await currentUser(request);
  if (user) {
    assertAllowed(user, permission);
    return user;
  }
  throw new Response(SENTENCES.signedOut, { status: 401, statusText: "Unauthorized" });
}
