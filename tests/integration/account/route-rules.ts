import { ORIGIN } from "../../sign-in-requests";

type Handler = (args: never) => unknown;

/** The admin panel's response to a form sent without a session. The panel shows the response on the same page. */
interface SignedOutData {
  data?: { signedOut?: object };
  init?: ResponseInit;
}

/** The parts of a route that the rules apply to: its path and handlers. */
export interface RouteUnderTest {
  path: string;
  module: { loader?: Handler; action?: Handler };
}

/** The routes that anyone may post to. All other actions require a session. */
const PUBLIC_ACTIONS = [
  "auth",
  "auth/code",
  "auth/passkey",
  "invite/:token",
  "sign-out",
  "age",
  "contact",
  "report",
  "report/:token",
  "video/:id/view",
  "video/:id/watched",
  "saved/videos",
];
const ADMIN_AREA = /^(admin|uploads)(\/|$)/;
/** The headers that browsers send with requests from other sites. */
const FOREIGN: Record<string, string>[] = [
  { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
  { Origin: "https://evil.example" },
  { Origin: "null" },
  { Origin: ORIGIN, "Sec-Fetch-Site": "same-site" },
  {},
];
const CHANGING_METHODS = ["POST", "PUT", "PATCH", "DELETE"];

/**
 * Returns the rules that a route breaks. Sends requests as a visitor would, and as another site's page would from a
 * signed-in user's browser.
 *
 * @param sessionCookie a signed-in user's cookie.
 */
export async function brokenRouteRules(
  { path, module }: RouteUnderTest,
  sessionCookie: string,
): Promise<string[]> {
  const broken: string[] = [];
  const { loader, action } = module;
  const isAdmin = ADMIN_AREA.test(path) || (action && !PUBLIC_ACTIONS.includes(path));
  if (loader && ADMIN_AREA.test(path) && !rejectsVisitor(await send(loader, path, "GET", {}))) {
    broken.push(`${path}: its loader responds to a visitor`);
  }
  if (!action) return broken;
  for (const method of CHANGING_METHODS) {
    const own = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };
    if (isAdmin && !rejectsVisitor(await send(action, path, method, own))) {
      broken.push(`${path}: its action responds to a visitor's ${method}`);
    }
    for (const foreign of FOREIGN) {
      const response = await send(action, path, method, { ...foreign, Cookie: sessionCookie });
      if (!isRejection(response, path)) {
        broken.push(`${path}: its action accepts a ${method} with ${JSON.stringify(foreign)}`);
      }
    }
  }
  return broken;
}

/**
 * Returns whether a response is a rejection. A 404 counts only for the `*` route, which never looks anything up. On any
 * other route, a 404 may be the result of a lookup that should have been rejected first. The API ignores cookies, so a
 * request with a session cookie counts as a visitor's.
 */
function isRejection(response: Response | undefined, path: string): boolean {
  const status = response?.status ?? 0;
  if (path.startsWith("api/") && status === 401) return true;
  return [403, 405].includes(status) || (path === "*" && status === 404);
}

/** Returns whether a response redirects to the sign-in page, or has an equivalent status. */
function rejectsVisitor(response: Response | undefined): boolean {
  if (response?.status === 400) return response.statusText === "Session missing";
  if (response?.status === 302) return response.headers.get("Location") === "/auth";
  return [401, 404, 405].includes(response?.status ?? 0);
}

async function send(
  handler: Handler,
  path: string,
  method: string,
  headers: Record<string, string>,
): Promise<Response | undefined> {
  const url = `/${path.replace(/:\w+\??|\*/g, "x")}`;
  const body = method === "GET" ? undefined : new URLSearchParams({ intent: "delete", id: "x" });
  const request = new Request(new URL(url, ORIGIN), { method, headers, body });
  const response = (await Promise.resolve()
    .then(() =>
      handler({ request, params: { id: "x", category: "x", "*": "x" }, context: {} } as never),
    )
    .catch((thrown) => thrown)) as Response | SignedOutData | undefined;
  if (response instanceof Response) return response;
  if (!response?.data?.signedOut) return undefined;
  return new Response(null, { ...response.init, statusText: "Session missing" });
}
