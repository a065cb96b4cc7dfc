import { data } from "@remix-run/node";
import type { SessionUser } from "~/account/guard.server";
import type { ReceivedForm } from "~/media/intake/multipart.server";
import { settings } from "~/server/settings.server";
import { redirectWithToast } from "~/server/toast.server";
import { takeReceived } from "./receive-upload.server";
import { SENTENCES, type UploadFailure, type UploadLimits } from "./upload-fields";

/** What the upload form shows about sizes. */
export function uploadLimits(): UploadLimits {
  const { maxVideoBytes, maxThumbnailBytes } = settings();
  return { maxVideoBytes, maxThumbnailBytes };
}

/**
 * Takes the upload form, intent `publish` or `draft`. The guard and the origin check come first.
 *
 * @returns the failure with its status, for the page to show again with the texts kept.
 * @throws the redirect with the toast when the upload was taken.
 */
export async function handleUpload(form: ReceivedForm, user: Pick<SessionUser, "id">) {
  const outcome = await takeReceived(form, user.id);
  if (!outcome.ok) {
    const upload: UploadFailure = outcome.failure;
    return data({ upload }, { status: outcome.status });
  }
  throw redirectWithToast("/admin", {
    title: "Success!",
    description: outcome.video.status === "published" ? SENTENCES.published : SENTENCES.drafted,
    kind: "success",
  });
}
