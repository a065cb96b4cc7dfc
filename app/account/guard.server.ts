import { redirect } from "@remix-run/node";
import { redirectWithToast } from "~/server/toast.server";
import { findSession, type OpenSession, type SessionUser } from "./session.server";
import { signedOutSentence } from "./signed-out.server";

export type { SessionUser } from "./session.server";

/** Who makes the request; undefined for a visitor. */
export async function currentUser(request: Request): Promise<SessionUser | undefined> {
  return (await findSession(request))?.user;
}

/**
 * Who makes the request. Every loader and action of the admin area calls it before anything else.
 *
 * @throws a redirect to /auth for a visitor, with the reason when a form was sent.
 */
export async function requireUser(request: Request): Promise<SessionUser> {
  return (await requireSession(request)).user;
}

/** The same, for who needs to know which of the user's sessions it is. */
export async function requireSession(request: Request): Promise<OpenSession> {
  const session = await findSession(request);
  if (session) return session;
  if (request.method !== "POST") throw redirect("/auth");
  const description = await signedOutSentence(request);
  throw redirectWithToast("/auth", { title: "Error", description, kind: "error" });
}
