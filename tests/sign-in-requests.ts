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
const MIN_BCRYPT_COST = 4;

/** An account, for whoever needs one that exists. */
export function makeUser(email = "admin@example.com", password = GOOD_PASSWORD) {
  const id = sqliteHandle()
    .prepare("INSERT INTO users (email, password_hash) VALUES (?, ?) RETURNING id")
    .pluck()
    .get(email, bcrypt.hashSync(password, MIN_BCRYPT_COST)) as string;
  return { id, email, password };
}

/** The cookies that an answer sets, as the browser would send them back. */
export function cookiesOf({ headers }: { headers: Headers }): string {
  return headers
    .getSetCookie()
    .filter((cookie) => !/Max-Age=0(;|$)/.test(cookie))
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

/** What an action answered a form with. */
export interface FormAnswer {
  status: number;
  /** As the browser would send them back. */
  cookies: string;
  location: string | null;
  message?: string;
  /** The field that the message is about. */
  field?: string;
  recoveryCodes?: string[];
}

let lastAddress = 0;

/** Sends a form to an action, by default each time from another address: limits count by address. */
export async function postForm(
  action: (args: never) => unknown,
  path: string,
  fields: Record<string, string>,
  Cookie = "",
  address = `198.51.100.${++lastAddress}`,
  Origin = ORIGIN,
): Promise<FormAnswer> {
  const request = formRequest(path, fields, { Cookie, Origin, "X-Forwarded-For": address });
  const answer = await action({ request, params: {}, context: {} } as never);
  if (answer instanceof Response) {
    return {
      status: answer.status,
      cookies: cookiesOf(answer),
      location: answer.headers.get("Location"),
    };
  }
  const { data, init } = (
    answer && typeof answer === "object" && "init" in answer
      ? answer
      : { data: answer, init: undefined }
  ) as { data: object; init?: { status?: number; headers?: HeadersInit } };
  const cookies = cookiesOf({ headers: new Headers(init?.headers) });
  return { status: init?.status ?? 200, cookies, location: null, ...data };
}
