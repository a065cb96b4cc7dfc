import { safePath } from "~/platform/safe-redirect";
import { readSignedCookie, removedCookie, signedCookie } from "~/platform/signed-cookie.server";

/** The page that somebody asked for who has to sign in first; a sign-in leads back to it. */

const COOKIE = "return-to";
const MAX_AGE_MS = 10 * 60 * 1000;

/** Who comes to the studio by its door is led Home (specification, Sign in). */
const ENTRANCE = "/admin";

/** The `Set-Cookie` header that remembers the page of a request for ten minutes. */
export function rememberPage(request: Request): string {
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
