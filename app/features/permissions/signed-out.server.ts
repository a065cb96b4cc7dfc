import { json } from "@remix-run/node";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readFields } from "~/platform/small-form.server";
import type { SignedOutForm } from "~/shared/signed-out-form";

/** What a form of the admin panel is for, as the end of the message that refuses it. */
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
  "/admin/import": "import videos",
  "/admin/tags": "change tags",
  "/admin/users": "change users",
  "/admin/review": "review videos",
};

/** The longest forms have a description and a list of tags. */
const MAX_FORM_BYTES = 64 * 1024;
/** Each is an input of the page that shows them again. */
const MAX_FIELDS = 200;
/** Forms with one of these fields are not shown again. */
const SECRETS = /password|passkey|credential|code|secret|token|^current$|^again$/i;

/**
 * The response to a form whose sender has no session: 400 (specification, section 8), with what was
 * entered, for `ErrorPage` to show again.
 *
 * @throws a 403 Response for a form of another site.
 */
export async function signedOutResponse(request: Request): Promise<Response> {
  requireOwnOrigin(request);
  return json(await readSignedOutForm(request), {
    status: 400,
    statusText: "Session missing",
    headers: { "Cache-Control": "no-store" },
  });
}

/** Returns what to tell the sender of a form who has no session. Files are not read. */
export async function readSignedOutForm(request: Request): Promise<SignedOutForm> {
  const { pathname, searchParams } = new URL(request.url);
  const fields = await readFormFields(request);
  const intent = fields
    ? fields.find(([name]) => name === "intent")?.[1]
    : searchParams.has("edit")
      ? "update"
      : "publish";
  const work =
    WORK_OF_PAGES[pathname.replace(/^(\/admin\/review)\/.*/, "$1")] ??
    (pathname === "/admin" ? WORK[intent ?? ""] : "do this");
  const isKept =
    fields && fields.length <= MAX_FIELDS && !fields.some(([name]) => SECRETS.test(name));
  return { message: messageFor(work), fields: isKept ? fields : [] };
}

/** Returns the message for a form of the admin panel that has been read. */
export function signedOutMessage(intent: string): string {
  return messageFor(WORK[intent]);
}

/** That of an upload is the specification's (section 8). */
function messageFor(work = "change videos"): string {
  return `You must be logged in to ${work}.`;
}

/** Returns undefined for a form with files, and no field of one that is too long. */
async function readFormFields(request: Request): Promise<[string, string][] | undefined> {
  if (/^multipart\//i.test(request.headers.get("Content-Type") ?? "")) return undefined;
  try {
    const fields = [...(await readFields(request, MAX_FORM_BYTES))];
    return fields.slice(0, MAX_FIELDS + 1).map(([name, value]) => [name, String(value)]);
  } catch (error) {
    if (!(error instanceof Response)) throw error;
    return [];
  }
}
