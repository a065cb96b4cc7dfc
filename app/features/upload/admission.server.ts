import { refusalOfTerms } from "~/features/moderation/uploaders/terms.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { requireQuota } from "./quota.server";

/**
 * Returns what checks, before the first byte, whether an account can begin an upload.
 *
 * @throws {UploadError} 422 for the uploaders' terms, and what `requireQuota` throws.
 */
export function admissionOf(userId: string) {
  return ({ terms, bytes }: { terms: string | undefined; bytes: number }): void => {
    const refusal = refusalOfTerms(terms);
    if (refusal) throw new UploadError(422, refusal);
    requireQuota(userId, bytes);
  };
}
