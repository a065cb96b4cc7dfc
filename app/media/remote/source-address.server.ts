import { createHmac, timingSafeEqual } from "node:crypto";
import { newestSecret, sessionSecrets } from "~/server/secret.server";

/** How long an address of a film can be asked; what has begun goes on. */
const SOURCE_SECONDS = 60;

const signatureOf = (secret: string, lease: string, until: number) =>
  createHmac("sha256", secret).update(`worker source ${lease} ${until}`).digest();

/** What follows the path of a film's address: until when it can be asked, signed for a lease. */
export function signSource(lease: string, now = Date.now()): string {
  const until = Math.floor(now / 1000) + SOURCE_SECONDS;
  const signature = signatureOf(newestSecret(), lease, until).toString("base64url");
  return new URLSearchParams({ until: String(until), signature }).toString();
}

/** Whether an address was given for that lease, and has not ended. */
export function isSignedSource(lease: string, query: URLSearchParams, now = Date.now()): boolean {
  const until = Number(query.get("until"));
  if (!Number.isSafeInteger(until) || until * 1000 < now) return false;
  const given = Buffer.from(query.get("signature") ?? "", "base64url");
  return sessionSecrets().some((secret) => {
    const signature = signatureOf(secret, lease, until);
    return given.length === signature.length && timingSafeEqual(given, signature);
  });
}
