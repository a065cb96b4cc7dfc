import { randomBytes } from "node:crypto";
import { redirect } from "@remix-run/node";
import { errors, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { checkedAgeCookie } from "~/platform/age.server";
import { maxEntries } from "~/platform/attempt-limit.server";
import { safePath } from "~/platform/safe-redirect";
import { settings } from "~/platform/settings.server";
import { readSignedCookie, removedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { siteOrigin } from "~/platform/site-origin.server";
import { processState } from "~db/runtime.server";
import type { AgeCheckProblem } from "./age-check-problems";

/**
 * Age checks by an external provider, to which visitors are redirected; docs/how-to/age-check.md describes the
 * interface. The provider only receives a nonce and the return URL, and the site only learns whether the visitor is 18
 * or over.
 */

const COOKIE = "age-check";
/** How long a visitor has to complete a check, including the time to find an ID document. */
const PENDING_MS = 30 * 60_000;
/** The maximum number of checks that a visitor can have in progress, for example in several tabs. */
const MAX_PENDING = 4;
const MAX_PATH_LENGTH = 400;

const PENDING = z.array(z.object({ nonce: z.string(), to: z.string(), startedAt: z.number() }));
type Pending = z.output<typeof PENDING>;

/**
 * The nonces that have been used, which are kept until every token that contains them has expired. They contain no
 * information about visitors.
 */
const usedNonces = processState(
  "spent age checks",
  () =>
    new LRUCache<string, true>({
      ...maxEntries(100_000),
      ttl: PENDING_MS + 900_000,
    }),
);

/**
 * The minimum interval between availability checks of the provider. These requests contain no information about
 * visitors.
 */
const AVAILABILITY_CHECK_INTERVAL_MS = 10_000;
const PROVIDER_TIMEOUT_MS = 3_000;
const provider = processState("age check provider", () => ({
  lastCheck: undefined as { url: string; at: number; isAvailable: Promise<boolean> } | undefined,
}));

/** The next redirect for a visitor, and the cookies to set with it. */
export interface Step {
  location: string;
  cookies: string[];
}

/**
 * Returns the redirect to the provider, or back to the age check page if the provider is unavailable.
 *
 * @param to the path to return to after the check.
 */
export async function startAgeCheck(request: Request, to: string, now = Date.now()): Promise<Step> {
  const { ageCheckUrl } = settings();
  if (!ageCheckUrl || !(await isProviderAvailable(ageCheckUrl, now))) {
    return { location: problemPage("away", to), cookies: [] };
  }
  const nonce = randomBytes(32).toString("base64url");
  const path = to.length <= MAX_PATH_LENGTH ? to : "/";
  const pending = [{ nonce, to: path, startedAt: now }, ...pendingOf(request, now)];
  const location = new URL(ageCheckUrl);
  location.searchParams.set("nonce", nonce);
  location.searchParams.set("return_to", `${siteOrigin(request)}/age-check/answer`);
  return {
    location: location.href,
    cookies: [pendingCookie(pending.slice(0, MAX_PENDING), now)],
  };
}

/** Handles the provider's result, which can be used only once and only in the browser that started the check. */
export async function completeAgeCheck(request: Request, now = Date.now()): Promise<Step> {
  const secret = settings().ageCheckSecret;
  const token = new URL(request.url).searchParams.get("token");
  const pending = pendingOf(request, now);
  const failed = (problem: AgeCheckProblem, to = pending[0]?.to ?? "/"): Step => ({
    location: problemPage(problem, to),
    cookies: [],
  });
  if (!secret || token === null) return failed("unfinished");
  const result = await readAgeToken(token, secret, now);
  if (typeof result === "string") return failed(result);
  const started = pending.find(({ nonce }) => nonce === result.nonce);
  if (!started || usedNonces().has(result.nonce)) return failed("wrong");
  usedNonces().set(result.nonce, true);
  const left = pendingCookie(
    pending.filter((each) => each !== started),
    now,
  );
  if (!result.isAdult) return { ...failed("no", started.to), cookies: [left] };
  return { location: safePath(started.to, "/"), cookies: [left, checkedAgeCookie(now)] };
}

/** Returns the redirect for a step. It must not be cached, because each redirect has a different nonce. */
export function stepRedirect({ location, cookies }: Step): Response {
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return redirect(location, { headers });
}

function problemPage(problem: AgeCheckProblem, to: string): string {
  return `/age-check?${new URLSearchParams({ problem, ...(to !== "/" && { to }) })}`;
}

function pendingOf(request: Request, now: number): Pending {
  try {
    const pending = PENDING.parse(JSON.parse(readSignedCookie(request, COOKIE, now) ?? "[]"));
    return pending.filter(({ startedAt }) => now - startedAt < PENDING_MS);
  } catch {
    return [];
  }
}

function pendingCookie(pending: Pending, now: number): string {
  if (pending.length === 0) return removedCookie(COOKIE);
  return signedCookie(COOKIE, JSON.stringify(pending), now + PENDING_MS, now);
}

/** Returns whether the provider responds. An error response from a proxy whose backend is down doesn't count. */
function isProviderAvailable(url: string, now: number): Promise<boolean> {
  const state = provider();
  if (state.lastCheck?.url !== url || now - state.lastCheck.at >= AVAILABILITY_CHECK_INTERVAL_MS) {
    const isAvailable = fetch(url, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
    }).then(
      ({ status }) => ![502, 503, 504].includes(status),
      () => false,
    );
    const check = { url, at: now, isAvailable };
    state.lastCheck = check;
    // After a failure, visitors may retry immediately.
    void isAvailable.then((available) => {
      if (!available && state.lastCheck === check) state.lastCheck = undefined;
    });
  }
  return state.lastCheck.isAvailable;
}

/** The maximum difference between the provider's and the site's clock. */
const CLOCK_SKEW_SECONDS = 60;
/** The maximum lifetime of a token. A longer-lived token could be passed on to someone else. */
const MAX_AGE_SECONDS = 600;
const MAX_TOKEN_LENGTH = 2_000;

/** The only claims allowed. Tokens with any other claim about a person are rejected (docs/how-to/age-check.md). */
const CLAIMS = z
  .strictObject({
    nonce: z.string().min(1).max(200),
    age_over_18: z.boolean(),
    iat: z.int(),
    exp: z.int(),
  })
  .refine(({ iat, exp }) => exp - iat <= MAX_AGE_SECONDS);

/** `late` means valid but expired; `wrong` means invalid in any other way. */
type TokenFailure = "late" | "wrong";

/**
 * Verifies a provider's token: a JWT (RFC 7519) signed with HS256 that contains a nonce, the result and its
 * timestamps, and nothing else.
 */
async function readAgeToken(
  token: string,
  secret: string,
  now = Date.now(),
): Promise<{ nonce: string; isAdult: boolean } | TokenFailure> {
  if (token.length > MAX_TOKEN_LENGTH) return "wrong";
  try {
    const { payload } = await jwtVerify(token, Buffer.from(secret), {
      algorithms: ["HS256"],
      clockTolerance: CLOCK_SKEW_SECONDS,
      maxTokenAge: MAX_AGE_SECONDS,
      requiredClaims: ["exp"],
      currentDate: new Date(now),
    });
    const { data: claims } = CLAIMS.safeParse(payload);
    return claims ? { nonce: claims.nonce, isAdult: claims.age_over_18 } : "wrong";
  } catch (error) {
    if (error instanceof errors.JWTExpired && CLAIMS.safeParse(error.payload).success)
      return "late";
    if (error instanceof errors.JOSEError) return "wrong";
    throw error;
  }
}
