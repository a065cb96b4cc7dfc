import { errors, jwtVerify } from "jose";
import { z } from "zod";

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
export type TokenFailure = "late" | "wrong";

/**
 * Returns what the token of a provider says: a JWT (RFC 7519) signed with HS256 that contains a nonce, the answer
 * and its times, and nothing else.
 */
export async function readAgeToken(
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
