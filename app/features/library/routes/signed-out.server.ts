import { data } from "@remix-run/node";
import { readSignedOutForm, signedOutMessage } from "~/features/permissions/signed-out.server";
import { typedTexts } from "~/features/upload/receive-upload.server";
import { SENTENCES } from "~/features/upload/upload-fields";
import { receiveMultipart } from "~/media/intake/multipart.server";
import type { FileRule } from "~/media/intake/received-file.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { requestContext } from "~/platform/node/request-context.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import type { SignedOutAnswer } from "./signed-out";

/**
 * Answers a form of the panel whose sender's session has ended: 400 (specification, section 8) with what
 * was entered, for the page to show again with the prompt to sign in. Files are not read.
 *
 * @throws a 403 Response for a form of another site.
 */
export async function answerSignedOut(request: Request) {
  requireOwnOrigin(request);
  return data({ signedOut: await readSignedOut(request) }, { status: 400 });
}

async function readSignedOut(request: Request): Promise<SignedOutAnswer> {
  if (!/^multipart\//i.test(request.headers.get("Content-Type") ?? "")) {
    return readSignedOutForm(request);
  }
  const { fields } = await receiveMultipart(request, { video: NO_FILE, thumbnail: NO_FILE });
  const isEdit = fields.get("intent") === "update";
  const message = signedOutMessage(isEdit ? "update" : "publish");
  return { message, [isEdit ? "edit" : "upload"]: typedTexts(fields) };
}

const NO_FILE: FileRule = {
  maxBytes: 0,
  tooLarge: SENTENCES.signedOut,
  checkHead: async () => {
    throw new UploadError(413, SENTENCES.signedOut);
  },
};

/** Whether the page is loaded as the response to a form, which has already found that nobody is signed in. */
export function showsSignedOutAnswer(): boolean {
  return requestContext()?.request.method === "POST";
}
