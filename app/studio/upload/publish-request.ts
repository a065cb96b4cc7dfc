import type { UploadOutcome } from "./receive-upload.server";
import { SENTENCES, type UploadIntent, type UploadTexts } from "./upload-fields";

/** How long after a lost connection it is asked again. */
const AGAIN_AFTER_MS = 3_000;

/**
 * Asks the server to make a video of an upload that has arrived, with the fields of the form. A lost
 * connection is tried again for as long as it takes: the server makes one video of it, however often
 * it is asked.
 */
export async function requestPublish(request: {
  upload: string;
  texts: UploadTexts;
  intent: UploadIntent;
  thumbnail?: Blob;
  keepDuplicate: boolean;
  onInterrupted: () => void;
}): Promise<UploadOutcome> {
  const form = new FormData();
  for (const [name, text] of Object.entries(request.texts)) form.set(name, text);
  form.set("intent", request.intent);
  form.set("upload", request.upload);
  form.set("duplicate", request.keepDuplicate ? "keep" : "ask");
  if (request.thumbnail) form.set("thumbnail", request.thumbnail, "thumbnail");
  const failed = (status: number, sentence: string): UploadOutcome => ({
    ok: false,
    status,
    failure: { sentence, texts: request.texts, fields: {} },
  });
  for (;;) {
    try {
      const answer = await fetch("/admin/publish", { method: "POST", body: form });
      const isOutcome = answer.headers.get("Content-Type")?.includes("json");
      if (isOutcome) return (await answer.json()) as UploadOutcome;
      return failed(answer.status, answer.status === 401 ? SENTENCES.signedOut : SENTENCES.failed);
    } catch {
      request.onInterrupted();
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
    }
  }
}
