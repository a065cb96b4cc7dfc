import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { newestSecret, sessionSecrets } from "~/server/secret.server";

const ID_BYTES = 16;
const TOKEN = /^([\w-]{22})\.([\w-]{43})$/;

/** Bound to its purpose: a signature of anything else is none of these. */
const signature = (secret: string, id: string) =>
  createHmac("sha256", secret).update(`report status ${id}`).digest();

/** What a report's status link ends with: its id, signed. */
export function statusToken(id: string): string {
  return `${id}.${signature(newestSecret(), id).toString("base64url")}`;
}

export function statusPath(id: string): string {
  return `/report/${statusToken(id)}`;
}

/** The id in a status link; undefined for one that no secret of ours has signed. */
export function reportIdOf(token: string): string | undefined {
  const [, id, mac] = TOKEN.exec(token) ?? [];
  if (!id || !mac) return undefined;
  const given = Buffer.from(mac, "base64url");
  const isOurs = sessionSecrets().some((secret) => timingSafeEqual(given, signature(secret, id)));
  return isOurs ? id : undefined;
}

/** Names one opening of the form: what is sent twice from it is one report. */
export function newFormId(): string {
  return randomBytes(ID_BYTES).toString("base64url");
}

/** The id of the report that a form with this content makes. Nobody guesses it without the secret. */
export function idOfReport(formId: string, content: unknown): string {
  return createHmac("sha256", newestSecret())
    .update(`report id ${formId} ${JSON.stringify(content)}`)
    .digest()
    .subarray(0, ID_BYTES)
    .toString("base64url");
}
