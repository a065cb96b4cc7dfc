import { readSignedCookie, removedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { database } from "~db/client.server";
import { credentialsMark } from "./credentials-mark.server";

const COOKIE = "second-step";
const SECOND_STEP_MAX_AGE_MS = 5 * 60 * 1000;

/** The `Set-Cookie` header of somebody whose password was right and whose code is still asked for. */
export function secondStepCookie(
  user: { id: string; credentials: string },
  now = Date.now(),
): string {
  const value = `${user.id} ${user.credentials}`;
  return signedCookie(COOKIE, value, now + SECOND_STEP_MAX_AGE_MS, now);
}

/** The `Set-Cookie` header that ends the step. */
export function endSecondStep(): string {
  return removedCookie(COOKIE);
}

/** Whose password was given in the last five minutes; undefined when nobody's was. */
export async function findSecondStep(
  request: Request,
  now = Date.now(),
): Promise<{ id: string; email: string } | undefined> {
  const [id, given] = readSignedCookie(request, COOKIE, now)?.split(" ") ?? [];
  if (!id) return undefined;
  const user = await database()
    .selectFrom("users")
    .select(["id", "email", "password_hash", "totp_enabled_at"])
    .where("id", "=", id)
    .where("totp_enabled_at", "is not", null)
    .where("deactivated_at", "is", null)
    .executeTakeFirst();
  return user && credentialsMark(user) === given ? { id: user.id, email: user.email } : undefined;
}
