import { json, redirect } from "@remix-run/node";
import { requireOwnOrigin } from "~/platform/origin.server";
import { safePath } from "~/platform/safe-redirect";
import { readSignedCookie, removedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { readFields } from "~/platform/small-form.server";
import type { SignedOutForm } from "~/shared/signed-out-form";
import { allows, type Permission } from "./permissions";
import { findSession, type OpenSession, type SessionUser } from "./session.server";

export type { SessionUser } from "./session.server";

/** The message for a user who lacks the permission. */
export const NOT_ALLOWED = "You don’t have permission to do this. Ask an owner.";

/** Returns the signed-in user who sent a request, or undefined if a visitor sent it. */
export async function currentUser(request: Request): Promise<SessionUser | undefined> {
  return (await findSession(request))?.user;
}

/**
 * Returns the signed-in user if they have the permission. Every loader and action in the studio calls this function
 * first, with the permission for its route.
 *
 * @throws a redirect to /auth for a visitor, or a 400 Response with the entered values if the visitor has sent a form;
 * a 403 Response for a user without the permission.
 */
export async function requirePermission(
  request: Request,
  permission: Permission,
): Promise<SessionUser> {
  return (await requireSession(request, permission)).user;
}

/**
 * Returns whether the user who sent a request is signed in and has a permission. Used by pages that show less to
 * visitors.
 */
export async function isPermitted(request: Request, permission: Permission): Promise<boolean> {
  const session = await findSession(request);
  return session !== undefined && allows(session.user, permission);
}

/** Like `requirePermission`, but returns the session. */
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
 * Like `requirePermission`, but for URLs called by scripts, which would follow a redirect and mistake it for success.
 *
 * @throws a 401 Response for a visitor, a 403 Response for a user without the permission.
 */
export async function requireScriptUser(
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

/** @throws a 403 Response if the user doesn't have the permission. */
export function assertAllowed(user: SessionUser, permission: Permission): void {
  if (allows(user, permission)) return;
  throw new Response(NOT_ALLOWED, { status: 403, statusText: "Forbidden" });
}

/** The page that a visitor requested before signing in. The sign-in page redirects back to it. */

const COOKIE = "return-to";
const MAX_AGE_MS = 10 * 60 * 1000;

/** Signing in from the studio's start page leads to Home (specification, section 2). */
const STUDIO_START_PAGE = "/admin";

/** Returns the `Set-Cookie` header that remembers a request's page for ten minutes. */
function rememberPage(request: Request): string {
  const { pathname, search } = new URL(request.url);
  const page = safePath(pathname + search, "");
  if (page === "" || page === STUDIO_START_PAGE) return forgetPage();
  return signedCookie(COOKIE, page, Date.now() + MAX_AGE_MS);
}

/** Returns the page to redirect to after signing in, or Home if none is remembered. */
export function rememberedPage(request: Request): string {
  return safePath(readSignedCookie(request, COOKIE), "/");
}

/** Returns the `Set-Cookie` header that makes the browser forget the page. */
export function forgetPage(): string {
  return removedCookie(COOKIE);
}

/** The purpose of each form in the admin panel, used as the end of the message that rejects the form. */
const FORM_PURPOSES: Record<string, string> = {
  publish: "upload videos",
  draft: "upload videos",
  update: "edit videos",
  toggle: "hide or show videos",
  schedule: "schedule videos",
  delete: "delete videos",
  restore: "restore videos",
  bulk: "change videos",
};

const PAGE_PURPOSES: Record<string, string> = {
  "/admin/account": "change your account",
  "/admin/account/passkey": "change your account",
  "/admin/queue": "retry conversions",
  "/admin/trash": "manage the trash",
  "/admin/import": "import videos",
  "/admin/tags": "edit tags",
  "/admin/users": "manage users",
  "/admin/review": "review videos",
};

/** Large enough for the longest forms, which have a description and a list of tags. */
const MAX_FORM_BYTES = 64 * 1024;
/** The maximum number of fields, because each field becomes an input on the page that shows the fields again. */
const MAX_FIELDS = 200;
/** If a form contains one of these fields, none of its values are shown again. */
const SECRETS = /password|passkey|credential|code|secret|token|^current$|^again$/i;

/**
 * Returns the response to a form sent without a session: status 400 (specification, section 8) with the entered values,
 * which `ErrorPage` shows again.
 *
 * @throws a 403 Response for a form from another site.
 */
async function signedOutResponse(request: Request): Promise<Response> {
  requireOwnOrigin(request);
  return json(await readSignedOutForm(request), {
    status: 400,
    statusText: "Session missing",
    headers: { "Cache-Control": "no-store" },
  });
}

/** Returns the message for a form sent without a session, and the form's values. Files are not read. */
export async function readSignedOutForm(request: Request): Promise<SignedOutForm> {
  const { pathname, searchParams } = new URL(request.url);
  const fields = await readFormFields(request);
  const intent = fields
    ? fields.find(([name]) => name === "intent")?.[1]
    : searchParams.has("edit")
      ? "update"
      : "publish";
  const work =
    PAGE_PURPOSES[pathname.replace(/^(\/admin\/review)\/.*/, "$1")] ??
    (pathname === "/admin" ? FORM_PURPOSES[intent ?? ""] : "do this");
  const isKept =
    fields && fields.length <= MAX_FIELDS && !fields.some(([name]) => SECRETS.test(name));
  return { message: messageFor(work), fields: isKept ? fields : [] };
}

/** Returns the message for an admin panel form sent without a session. */
export function signedOutMessage(intent: string): string {
  return messageFor(FORM_PURPOSES[intent]);
}

/** The specification (section 8) prescribes this wording. */
function messageFor(work = "change videos"): string {
  return `You must be logged in to ${work}.`;
}

/**
 * Reads a form's fields. Returns undefined if the form contains files, or an empty list of fields if the form is too
 * large.
 */
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
