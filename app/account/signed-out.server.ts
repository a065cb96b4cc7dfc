import { readSmallForm } from "~/server/small-form.server";

/** What a form asks for, as the end of the sentence that refuses it. */
const WORK: Record<string, string> = {
  publish: "upload videos",
  draft: "upload videos",
  update: "edit videos",
  toggle: "hide or show videos",
  schedule: "schedule videos",
  delete: "delete videos",
  restore: "restore videos",
  bulk: "change videos",
};

const WORK_OF_PAGES: Record<string, string> = {
  "/admin/account": "change your account",
  "/admin/account/passkey": "change your account",
  "/admin/queue": "retry conversions",
  "/admin/trash": "change the trash",
  "/admin/import": "bring videos in",
  "/admin/tags": "change tags",
  "/admin/users": "change users",
  "/admin/review": "review videos",
};

/** An anonymous form is read for its intent alone, so not far. */
const MOST_FORM_BYTES = 16 * 1024;

/**
 * Why a form of somebody who is not signed in was not taken, and what it was about. The upload's
 * sentence is that of the specification (section 8).
 */
export async function signedOutSentence(request: Request): Promise<string> {
  const { pathname, searchParams } = new URL(request.url);
  const work =
    WORK_OF_PAGES[pathname.replace(/^(\/admin\/review)\/.*/, "$1")] ??
    (pathname !== "/admin" ? "do this" : WORK[await intentOf(request, searchParams)]);
  return signedOutOf(work ?? "change videos");
}

/** The same for a form that has been read. */
export function signedOutSentenceFor(intent: string): string {
  return signedOutOf(WORK[intent] ?? "change videos");
}

function signedOutOf(work: string): string {
  return `You must be logged in to ${work}.`;
}

async function intentOf(request: Request, parameters: URLSearchParams): Promise<string> {
  const type = request.headers.get("Content-Type") ?? "";
  // Files come with these: not read for somebody unknown.
  if (/^multipart\//i.test(type)) return parameters.has("edit") ? "update" : "publish";
  try {
    return String((await readSmallForm(request, MOST_FORM_BYTES)).get("intent") ?? "");
  } catch (error) {
    if (!(error instanceof Response)) throw error;
    return "";
  }
}
