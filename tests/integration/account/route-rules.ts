import { ORIGIN } from "../../sign-in-requests";

type Handler = (args: never) => unknown;

/** The response of the admin panel to a form without a session, which its own page shows. */
interface SignedOutData {
  data?: { signedOut?: object };
  init?: ResponseInit;
}

/** A route as the rules see it: its path and its handlers. */
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
/** The headers of browsers for requests from other sites. */
const FOREIGN: Record<string, string>[] = [
  { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
  { Origin: "https://evil.example" },
  { Origin: "null" },
  { Origin: ORIGIN, "Sec-Fetch-Site": "same-site" },
  {},
];
const CHANGING_METHODS = ["POST", "PUT", "PATCH", "DELETE"];

/**
 * Returns the rules that a route breaks. Sends requests as a visitor, and as a page of another site in the browser of a
 * signed-in user.
 *
 * @param sessionCookie the cookie of a signed-in user.
 */
export async function brokenRouteRules(
  { path, module }: RouteUnderTest,
  sessionCookie: string,
): Promise<string[]> {
  const found: string[] = [];
  const { loader, action } = module;
  const isAdmin = ADMIN_AREA.test(path) || (action && !PUBLIC_ACTIONS.includes(path));
  if (loader && ADMIN_AREA.test(path) && !turnsAway(await ask(loader, path, "GET", {}))) {
    found.push(`${path}: its loader answers a visitor`);
  }
  if (!action) return found;
  for (const method of CHANGING_METHODS) {
    const own = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };
    if (isAdmin && !turnsAway(await ask(action, path, method, own))) {
      found.push(`${path}: its action answers a visitor's ${method}`);
    }
    for (const foreign of FOREIGN) {
      const answer = await ask(action, path, method, { ...foreign, Cookie: sessionCookie });
      if (!refuses(answer, path)) {
        found.push(`${path}: its action takes a ${method} with ${JSON.stringify(foreign)}`);
      }
    }
  }
  return found;
}

/**
 * Returns whether a response is a rejection. A 404 only counts for routes where nothing can be found: elsewhere the
 * route may have looked something up. The API ignores cookies, so requests with one count as a visitor's.
 */
function refuses(answer: Response | undefined, path: string): boolean {
  const status = answer?.status ?? 0;
  if (path.startsWith("api/") && status === 401) return true;
  return [403, 405].includes(status) || (path === "*" && status === 404);
}

/** Returns whether a response redirects to the sign-in page, or has an equivalent status. */
function turnsAway(answer: Response | undefined): boolean {
  if (answer?.status === 400) return answer.statusText === "Session missing";
  if (answer?.status === 302) return answer.headers.get("Location") === "/auth";
  return [401, 404, 405].includes(answer?.status ?? 0);
}

async function ask(
  handler: Handler,
  path: string,
  method: string,
  headers: Record<string, string>,
): Promise<Response | undefined> {
  const address = `/${path.replace(/:\w+\??|\*/g, "x")}`;
  const body = method === "GET" ? undefined : new URLSearchParams({ intent: "delete", id: "x" });
  const request = new Request(new URL(address, ORIGIN), { method, headers, body });
  const answer = (await Promise.resolve()
    .then(() =>
      handler({ request, params: { id: "x", category: "x", "*": "x" }, context: {} } as never),
    )
    .catch((thrown) => thrown)) as Response | SignedOutData | undefined;
  if (answer instanceof Response) return answer;
  if (!answer?.data?.signedOut) return undefined;
  return new Response(null, { ...answer.init, statusText: "Session missing" });
}
