import { redirect } from "@remix-run/node";
import { allows, type Permission } from "./permissions";
import { rememberPage } from "./return-to.server";
import { findSession, type OpenSession, type SessionUser } from "./session.server";
import { signedOutResponse } from "./signed-out.server";

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

/** @throws a 403 Response where the user's role does not have the permission. */
export function assertAllowed(user: SessionUser, permission: Permission): void {
  if (allows(user, permission)) return;
  throw new Response(NOT_ALLOWED, { status: 403, statusText: "Forbidden" });
}
