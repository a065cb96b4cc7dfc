import type { UploadOutcome } from "./receive-upload.server";
import { type Accepted, SENTENCES, type UploadIntent, type UploadTexts } from "./upload-fields";

/** Delay before a retry after a lost connection. */
const AGAIN_AFTER_MS = 3_000;
/** What a proxy answers while the site can't be reached (specification, section 8). */
const RETRYABLE_STATUSES = [502, 503, 504];

/**
 * Requests that the server publishes a complete upload, with the fields of the form. A lost connection
 * and a proxy's error are retried without limit: a repeated request gets the outcome of the first.
 */
export async function requestPublish(request: {
  upload: string;
  texts: UploadTexts;
  intent: UploadIntent;
  /** The version of the uploaders' terms that is accepted. */
  terms?: string;
  thumbnail?: Blob;
  accepted: Accepted;
  onInterrupted: () => void;
}): Promise<UploadOutcome> {
  const form = new FormData();
  for (const [name, text] of Object.entries(request.texts)) form.set(name, text);
  form.set("intent", request.intent);
  if (request.terms) form.set("terms", request.terms);
  form.set("upload", request.upload);
  form.set("duplicate", request.accepted === "nothing" ? "ask" : "keep");
  form.set("incomplete", request.accepted === "cut off" ? "keep" : "ask");
  if (request.thumbnail) form.set("thumbnail", request.thumbnail, "thumbnail");
  const failed = (status: number, sentence: string): UploadOutcome => ({
    ok: false,
    status,
    failure: { sentence, texts: request.texts, fields: {} },
  });
  for (;;) {
    try {
      const answer = await fetch("/admin/publish", { method: "POST", body: form });
      const { status } = answer;
      const isOutcome = answer.headers.get("Content-Type")?.includes("json");
      if (isOutcome) return (await answer.json()) as UploadOutcome;
      if (!RETRYABLE_STATUSES.includes(status)) {
        return failed(status, status === 401 ? SENTENCES.signedOut : SENTENCES.failed);
      }
    } catch {
      // The connection was lost.
    }
    request.onInterrupted();
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
  }
}
