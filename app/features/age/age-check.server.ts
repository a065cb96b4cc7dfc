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
 * The check of somebody's age by a provider, by redirect: the interface is in docs/age-check.md. The
 * provider learns a nonce and the address to come back to, the site learns "18 or over" or not.
 */

const COOKIE = "age-check";
/** So long may a check take, papers looked for included. */
const PENDING_MS = 30 * 60_000;
/** Checks begun in several tabs at once. */
const MAX_PENDING = 4;
const LONGEST_PATH = 400;

const PENDING = z.array(z.object({ nonce: z.string(), to: z.string(), startedAt: z.number() }));
type Pending = z.output<typeof PENDING>;

/** Nonces whose answer was taken, until no token with them is believed any more. Nothing of who it was. */
const spent = processState(
  "spent age checks",
  () =>
    new LRUCache<string, true>({
      ...maxEntries(100_000),
      ttl: PENDING_MS + 900_000,
    }),
);

/** The provider is asked whether it is there at most this often, without a word about a visitor. */
const ASK_EVERY_MS = 10_000;
const PROVIDER_ANSWERS_WITHIN_MS = 3_000;
const provider = processState("age check provider", () => ({
  asked: undefined as { url: string; at: number; answers: Promise<boolean> } | undefined,
}));

/** Where a visitor goes next, and the cookies that are set on the way. */
export interface Step {
  location: string;
  cookies: string[];
}

/**
 * Sends a visitor to the provider, or back to the page that says that it is away.
 *
 * @param to the path that they are led to after the check.
 */
export async function beginAgeCheck(request: Request, to: string, now = Date.now()): Promise<Step> {
  const { ageCheckUrl } = settings();
  if (!ageCheckUrl || !(await providerAnswers(ageCheckUrl, now))) {
    return { location: problemPage("away", to), cookies: [] };
  }
  const nonce = randomBytes(32).toString("base64url");
  const path = to.length <= LONGEST_PATH ? to : "/";
  const pending = [{ nonce, to: path, startedAt: now }, ...pendingOf(request, now)];
  const location = new URL(ageCheckUrl);
  location.searchParams.set("nonce", nonce);
  location.searchParams.set("return_to", `${siteOrigin(request)}/age-check/answer`);
  return {
    location: location.href,
    cookies: [pendingCookie(pending.slice(0, MAX_PENDING), now)],
  };
}

/** Takes the provider's answer. Only the browser that began the check can bring it, and once. */
export async function endAgeCheck(request: Request, now = Date.now()): Promise<Step> {
  const secret = settings().ageCheckSecret;
  const token = new URL(request.url).searchParams.get("token");
  const pending = pendingOf(request, now);
  const failed = (problem: AgeCheckProblem, to = pending[0]?.to ?? "/"): Step => ({
    location: problemPage(problem, to),
    cookies: [],
  });
  if (!secret || token === null) return failed("unfinished");
  const answer = await readAgeToken(token, secret, now);
  if (typeof answer === "string") return failed(answer);
  const begun = pending.find(({ nonce }) => nonce === answer.nonce);
  if (!begun || spent().has(answer.nonce)) return failed("wrong");
  spent().set(answer.nonce, true);
  const left = pendingCookie(
    pending.filter((each) => each !== begun),
    now,
  );
  if (!answer.isAdult) return { ...failed("no", begun.to), cookies: [left] };
  return { location: safePath(begun.to, "/"), cookies: [left, checkedAgeCookie(now)] };
}

/** The redirect of a step. Nothing of it is for a cache: each has a nonce of its own. */
export function redirectOfStep({ location, cookies }: Step): Response {
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

/** Whether anything answers there; a proxy that says that nothing stands behind it does not count. */
function providerAnswers(url: string, now: number): Promise<boolean> {
  const state = provider();
  if (state.asked?.url !== url || now - state.asked.at >= ASK_EVERY_MS) {
    const answers = fetch(url, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(PROVIDER_ANSWERS_WITHIN_MS),
    }).then(
      ({ status }) => ![502, 503, 504].includes(status),
      () => false,
    );
    const asking = { url, at: now, answers };
    state.asked = asking;
    // Who is told that it is away may try again at once.
    void answers.then((isThere) => {
      if (!isThere && state.asked === asking) state.asked = undefined;
    });
  }
  return state.asked.answers;
}

/** How far the clocks of the provider and the site may differ. */
const CLOCK_SKEW_SECONDS = 60;
/** A token that lived longer could be passed on. */
const MAX_AGE_SECONDS = 600;
const MAX_TOKEN_LENGTH = 2_000;

/** A token that says more than this about somebody is refused: docs/age-check.md. */
const CLAIMS = z
  .strictObject({
    nonce: z.string().min(1).max(200),
    age_over_18: z.boolean(),
    iat: z.int(),
    exp: z.int(),
  })
  .refine(({ iat, exp }) => exp - iat <= MAX_AGE_SECONDS);

/** `late`: it was valid but has expired. `wrong`: nothing else about it can be believed. */
type TokenFailure = "late" | "wrong";

/**
 * Returns what the token of a provider says: a JWT (RFC 7519) signed with HS256 that contains a nonce, the answer
 * and its times, and nothing else.
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
