import bcrypt from "bcryptjs";
import { sqliteHandle } from "~db/client.server";

export const ORIGIN = "http://localhost";
export const GOOD_PASSWORD = "correct horse battery";

/** A form as a page of the site posts it. */
export function formRequest(
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Request {
  return new Request(new URL(path, ORIGIN), {
    method: "POST",
    headers: { Origin: ORIGIN, ...headers },
    body: new URLSearchParams(fields),
  });
}

/** bcrypt reads the cost from the hash; the least there is keeps tests fast. */
const LEAST_BCRYPT_COST = 4;

/** An account, for whoever needs one that exists. */
export function makeUser(email = "admin@example.com", password = GOOD_PASSWORD) {
  const id = sqliteHandle()
    .prepare("INSERT INTO users (email, password_hash) VALUES (?, ?) RETURNING id")
    .pluck()
    .get(email, bcrypt.hashSync(password, LEAST_BCRYPT_COST)) as string;
  return { id, email, password };
}

/** The cookies that an answer sets, as the browser would send them back. */
export function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .filter((cookie) => !/Max-Age=0(;|$)/.test(cookie))
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}
