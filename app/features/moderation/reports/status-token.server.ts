import { createHash, randomBytes } from "node:crypto";
import { sign, verify } from "~/platform/signed-value.server";

const ID_BYTES = 16;

/** Where a link was shown: on the page that follows the form, or in an email. Both lead to the same page. */
type Origin = "page" | "email";
const PURPOSES: Record<Origin, string> = { page: "report status", email: "report status by email" };

/** Returns the last part of a report's status link: the report's signed id. */
export function statusToken(id: string, origin: Origin = "page"): string {
  return sign(PURPOSES[origin], id);
}

export function statusPath(id: string, origin: Origin = "page"): string {
  return `/report/${statusToken(id, origin)}`;
}

/** Returns the report id in a status link and the link's origin; undefined if this site hasn't signed the link. */
export function readStatusToken(token: string): { id: string; origin: Origin } | undefined {
  for (const origin of ["page", "email"] as const) {
    const id = verify(PURPOSES[origin], token);
    if (id !== undefined) return { id, origin };
  }
  return undefined;
}

/** Returns an id for one rendering of the form. Submitting that form twice creates only one report. */
export function newFormId(): string {
  return randomBytes(ID_BYTES).toString("base64url");
}

/** Returns the id of the report created by a form with this content. It can't be guessed without the secret. */
export function createReportId(formId: string, content: unknown): string {
  return createHash("sha256")
    .update(sign("report id", `${formId} ${JSON.stringify(content)}`))
    .digest()
    .subarray(0, ID_BYTES)
    .toString("base64url");
}
