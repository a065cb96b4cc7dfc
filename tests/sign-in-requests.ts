import bcrypt from "bcryptjs";
import { sqliteHandle } from "~db/client.server";

export const ORIGIN = "http://localhost";
export const GOOD_PASSWORD = "correct horse battery";

/** Returns the POST request that the browser sends for one of the site's forms. */
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

/** The lowest cost that bcrypt supports, which keeps tests fast. Verification reads the cost from the hash. */
const MIN_BCRYPT_COST = 4;

/** Inserts an account into the database. */
export function insertUser(email = "admin@example.com", password = GOOD_PASSWORD) {
  const id = sqliteHandle()
    .prepare("INSERT INTO users (email, password_hash) VALUES (?, ?) RETURNING id")
    .pluck()
    .get(email, bcrypt.hashSync(password, MIN_BCRYPT_COST)) as string;
  return { id, email, password };
}

/** Returns the cookies set by a response, as a Cookie header. */
export function cookiesOf({ headers }: { headers: Headers }): string {
  return headers
    .getSetCookie()
    .filter((cookie) => !/Max-Age=0(;|$)/.test(cookie))
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

/** The result of sending a form to an action. */
export interface FormResult {
  status: number;
  /** The cookies that were set, as a Cookie header. */
  cookies: string;
  location: string | null;
  message?: string;
  /** The form field that the message refers to. */
  field?: string;
  recoveryCodes?: string[];
}

let lastAddress = 0;

/**
 * Sends a form to an action, by default from a different IP address each time, because rate limits apply per address.
 */
export async function postForm(
  action: (args: never) => unknown,
  path: string,
  fields: Record<string, string>,
  Cookie = "",
  address = `198.51.100.${++lastAddress}`,
  Origin = ORIGIN,
): Promise<FormResult> {
  const request = formRequest(path, fields, { Cookie, Origin, "X-Forwarded-For": address });
  const result = await action({ request, params: {}, context: {} } as never);
  if (result instanceof Response) {
    return {
      status: result.status,
      cookies: cookiesOf(result),
      location: result.headers.get("Location"),
    };
  }
  const { data, init } = (
    result && typeof result === "object" && "init" in result
      ? result
      : { data: result, init: undefined }
  ) as { data: object; init?: { status?: number; headers?: HeadersInit } };
  const cookies = cookiesOf({ headers: new Headers(init?.headers) });
  return { status: init?.status ?? 200, cookies, location: null, ...data };
}
