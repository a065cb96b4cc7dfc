import type { z } from "zod";
import type { OwnVideos } from "~/features/permissions/own-videos";
import { publishReceivedForm } from "~/features/upload/receive-upload.server";
import type { UploadSuccess } from "~/features/upload/upload-fields";
import { fieldProblems, Problem } from "~/platform/problem";
import { retryAfter } from "~/platform/retry-after.server";
import type { newVideo } from "./schemas";

/**
 * Makes a video of an upload, by the same way as the upload form.
 *
 * @param alongside as `Upload` has it.
 * @throws {Problem} with what the form would say.
 */
export async function receivedOutcome(
  body: z.infer<typeof newVideo>,
  userId: string,
  own: OwnVideos | undefined,
  alongside: (outcome: UploadSuccess) => void,
): Promise<UploadSuccess> {
  const { upload, title, description, category, publishAt = "", unpublishAt = "" } = body;
  const fields = new Map(
    Object.entries({
      ...{ upload, title, description, category, publishAt, unpublishAt },
      intent: body.status === "draft" ? "draft" : "publish",
      tags: body.tags.join(","),
      ...(body.terms !== undefined && { terms: String(body.terms) }),
    }),
  );
  const form = { fields, files: new Map() };
  const outcome = await publishReceivedForm(form, userId, own, alongside);
  if (outcome.ok) return outcome.video;
  const { sentence, fields: wrong } = outcome.failure;
  const headers = retryAfter(outcome.retryAfterSeconds);
  throw new Problem(outcome.status, sentence, fieldProblems(wrong), headers);
}
