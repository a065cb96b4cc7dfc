import { createHash, randomBytes } from "node:crypto";
import { sign, verify } from "~/server/signed-value.server";

const ID_BYTES = 16;
const STATUS = "report status";

/** Returns the last part of a report's status link: its signed id. */
export function statusToken(id: string): string {
  return sign(STATUS, id);
}

export function statusPath(id: string): string {
  return `/report/${statusToken(id)}`;
}

/** Returns the id in a status link; undefined for one that this site hasn't signed. */
export function reportIdOf(token: string): string | undefined {
  return verify(STATUS, token);
}

/** Names one opening of the form: what is sent twice from it is one report. */
export function newFormId(): string {
  return randomBytes(ID_BYTES).toString("base64url");
}

/** Returns the id of the report that a form with this content creates. Nobody can guess it without the secret. */
export function idOfReport(formId: string, content: unknown): string {
  return createHash("sha256")
    .update(sign("report id", `${formId} ${JSON.stringify(content)}`))
    .digest()
    .subarray(0, ID_BYTES)
    .toString("base64url");
}
