import { data } from "@remix-run/node";
import { requirePermission } from "~/account/guard.server";
import { hasSessionCookie } from "~/account/session.server";
import { signedOutSentence, signedOutSentenceFor } from "~/account/signed-out.server";
import { receiveMultipart } from "~/media/intake/multipart.server";
import type { FileRule } from "~/media/intake/received-file.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { requestContext } from "~/server/node/request-context.server";
import { requireOwnOrigin } from "~/server/origin.server";
import type { SignedOutAnswer } from "./signed-out";
import { typedTexts } from "./upload/receive-upload.server";
import { SENTENCES } from "./upload/upload-fields";

/**
 * Answers a form of the panel whose sender's session has ended in the meantime: 401 with what was
 * typed, for the page to show again with the prompt to sign in. Files are not read.
 *
 * @throws the redirect of the guard for whoever had no session at all.
 */
export async function answerSignedOut(request: Request) {
  if (!hasSessionCookie(request)) await requirePermission(request, "/admin");
  requireOwnOrigin(request);
  return data({ signedOut: await readSignedOut(request) }, { status: 401 });
}

async function readSignedOut(request: Request): Promise<SignedOutAnswer> {
  if (!/^multipart\//i.test(request.headers.get("Content-Type") ?? "")) {
    return { sentence: await signedOutSentence(request) };
  }
  const { fields } = await receiveMultipart(request, { video: NO_FILE, thumbnail: NO_FILE });
  const isEdit = fields.get("intent") === "update";
  const sentence = signedOutSentenceFor(isEdit ? "update" : "publish");
  return { sentence, [isEdit ? "edit" : "upload"]: typedTexts(fields) };
}

const NO_FILE: FileRule = {
  maxBytes: 0,
  tooLarge: SENTENCES.signedOut,
  checkHead: async () => {
    throw new UploadError(413, SENTENCES.signedOut);
  },
};

/** Whether the page is loaded to show the answer to a form whose sender's session has ended. */
export function showsSignedOutAnswer(request: Request): boolean {
  return requestContext()?.request.method === "POST" && hasSessionCookie(request);
}
