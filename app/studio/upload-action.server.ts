import { data } from "@remix-run/node";
import { settings } from "~/server/settings.server";
import { NO_TEXTS, SENTENCES, type UploadFailure, type UploadLimits } from "./upload-fields";

/** What the upload form shows about sizes. */
export function uploadLimits(): UploadLimits {
  const { maxVideoBytes, maxThumbnailBytes } = settings();
  return { maxVideoBytes, maxThumbnailBytes };
}

/** Whether a request to /admin carries the multipart form, which only `handleUpload` may read. */
export function isUpload(request: Request): boolean {
  return /^multipart\/form-data/i.test(request.headers.get("Content-Type") ?? "");
}

/**
 * Takes a multipart upload, intent `publish` or `draft`.
 *
 * @returns the failure with its status, for the page to show again with the texts kept.
 * @throws the redirect with the toast when the upload was taken.
 */
export async function handleUpload(_request: Request, _user: { id: string }) {
  const failure: UploadFailure = { sentence: SENTENCES.failed, texts: NO_TEXTS, fields: {} };
  return data({ upload: failure }, { status: 500 });
}
