import { sign, verify } from "~/platform/signed-value.server";

const PURPOSE = "worker source";
/** How long a download can be started; one that has started continues. */
const SOURCE_MS = 60_000;

/** Returns the query of a source file's URL, signed for a lease and a limited time. */
export function signSource(lease: string, now = Date.now()): string {
  return new URLSearchParams({ token: sign(PURPOSE, lease, now + SOURCE_MS) }).toString();
}

/** Returns whether a query was signed for that lease and hasn't expired. */
export function isSignedSource(lease: string, query: URLSearchParams, now = Date.now()): boolean {
  return verify(PURPOSE, query.get("token") ?? "", now) === lease;
}
