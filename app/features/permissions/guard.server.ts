import { json, redirect } from "@remix-run/node";
import { requireOwnOrigin } from "~/platform/origin.server";
import { safePath } from "~/platform/safe-redirect";
import { readSignedCookie, removedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { readFields } from "~/platform/small-form.server";
import type { SignedOutForm } from "~/shared/signed-out-form";
import { allows, type Permission } from "./permissions";
import { findSession, type OpenSession, type SessionUser } from "./session.server";

export type { SessionUser } from "./session.server";

/** What somebody reads who has an account that does not allow it. */
export const NOT_ALLOWED = "Your account may not do this.";

/** Who makes the request; undefined for a visitor. */
export async function currentUser(request: Request): Promise<SessionUser | undefined> {
  return (await findSession(request))?.user;
}

/**
 * Who makes the request, if the table of permissions allows it to them. Every loader and action of the
 * admin area calls it before anything else, with the line of its address.
 *
 * @throws for a visitor a redirect to /auth, or a 400 Response with what was entered when a form was sent;
 *   a 403 Response for somebody whose role does not have the permission.
 */
export async function requirePermission(
  request: Request,
  permission: Permission,
): Promise<SessionUser> {
  return (await requireSession(request, permission)).user;
}

/** Whether somebody is signed in who has a permission, for pages that show visitors less. */
export async function isPermitted(request: Request, permission: Permission): Promise<boolean> {
  const session = await findSession(request);
  return session !== undefined && allows(session.user, permission);
}

/** The same as `requirePermission`, for who needs to know which of the user's sessions it is. */
export async function requireSession(
  request: Request,
  permission: Permission,
): Promise<OpenSession> {
  const session = await findSession(request);
  if (session) {
    assertAllowed(session.user, permission);
    return session;
  }
  if (request.method === "GET" || request.method === "HEAD") {
    throw redirect("/auth", { headers: { "Set-Cookie": rememberPage(request) } });
  }
  throw await signedOutResponse(request);
}

/**
 * The user, for addresses that scripts call: they would follow a redirect and see a success.
 *
 * @throws a 401 Response, or a 403 Response where their role does not have the permission.
 */
export async function requireUserOfScript(
  request: Request,
  permission: Permission,
): Promise<SessionUser> {
  const user = await currentUser(request);
  if (user) {
    assertAllowed(user, permission);
    return user;
  }
  throw new Response(signedOutMessage("publish"), { status: 401, statusText: "Unauthorized" });
}

/** @throws a 403 Response where the user's role does not have the permission. */
export function assertAllowed(user: SessionUser, permission: Permission): void {
  if (allows(user, permission)) return;
  throw new Response(NOT_ALLOWED, { status: 403, statusText: "Forbidden" });
}

/** The page that somebody asked for who has to sign in first; a sign-in leads back to it. */

const COOKIE = "return-to";
const MAX_AGE_MS = 10 * 60 * 1000;

/** Who comes to the studio by its door is led Home (specification, Sign in). */
const ENTRANCE = "/admin";

/** The `Set-Cookie` header that remembers the page of a request for ten minutes. */
function rememberPage(request: Request): string {
  const { pathname, search } = new URL(request.url);
  const page = safePath(pathname + search, "");
  if (page === "" || page === ENTRANCE) return forgetPage();
  return signedCookie(COOKIE, page, Date.now() + MAX_AGE_MS);
}

/** The page to lead back to; Home where none was asked for. */
export function rememberedPage(request: Request): string {
  return safePath(readSignedCookie(request, COOKIE), "/");
}

/** The `Set-Cookie` header that forgets it. */
export function forgetPage(): string {
  return removedCookie(COOKIE);
}

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
async function signedOutResponse(request: Request): Promise<Response> {
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
