import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";

/** Clocks of provider and site may differ by so much. */
const CLOCK_SKEW_SECONDS = 60;
/** A longer life would make a token something to pass on. */
const LONGEST_LIFE_SECONDS = 600;
const LONGEST_TOKEN = 2_000;

/** Whatever says more than this about somebody is refused: docs/age-check.md. */
const CLAIMS = z.strictObject({
  nonce: z.string().min(1).max(200),
  age_over_18: z.boolean(),
  iat: z.int(),
  exp: z.int(),
});

/** `late`: right once, but its time is over. `wrong`: anything else that is not to be believed. */
export type TokenFailure = "late" | "wrong";

/**
 * What the token of a provider says: a JWT (RFC 7519) in compact form, signed by HMAC with SHA-256
 * (HS256, RFC 7518 §3.2) and with nothing in it but a nonce, the answer and its times.
 */
export function readAgeToken(
  token: string,
  secret: string,
  now = Date.now(),
): { nonce: string; isAdult: boolean } | TokenFailure {
  const [head = "", body = "", mac = "", ...rest] = token.split(".");
  if (token.length > LONGEST_TOKEN || rest.length > 0 || !isOurAlgorithm(head)) return "wrong";
  const expected = createHmac("sha256", secret).update(`${head}.${body}`).digest();
  const given = Buffer.from(mac, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "wrong";
  const { data: claims } = CLAIMS.safeParse(parse(body));
  if (!claims) return "wrong";
  const { nonce, age_over_18: isAdult, iat, exp } = claims;
  const seconds = now / 1000;
  if (exp - iat > LONGEST_LIFE_SECONDS || iat > seconds + CLOCK_SKEW_SECONDS) return "wrong";
  if (exp <= seconds - CLOCK_SKEW_SECONDS) return "late";
  return { nonce, isAdult };
}

/** Never by what the token says that it is signed with: this or nothing, and no extensions (`crit`). */
const HEADER = z.strictObject({
  alg: z.literal("HS256"),
  typ: z.string().optional(),
  kid: z.string().optional(),
});

function isOurAlgorithm(head: string): boolean {
  return HEADER.safeParse(parse(head)).success;
}

function parse(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString());
  } catch {
    return undefined;
  }
}
