import { currentUser, type SessionUser } from "~/account/guard.server";
import { SENTENCES } from "./upload-fields";

/**
 * Who uploads, for addresses that scripts call: a redirect to a page would look like success there.
 *
 * @throws a 401 Response.
 */
export async function requireUploader(request: Request): Promise<SessionUser> {
  const user = await currentUser(request);
  if (user) return user;
  throw new Response(SENTENCES.signedOut, { status: 401, statusText: "Unauthorized" });
}
