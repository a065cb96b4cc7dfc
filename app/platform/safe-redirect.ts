import { parseUrl } from "~/shared/addresses";

/** Stands for our own origin; .invalid belongs to nobody (RFC 2606). */
const OWN_ORIGIN = "http://own.invalid";
const LONGEST_PATH = 2_000;

/** What no address of ours has as it is sent: controls, spaces and backslashes. */
const NEVER_SENT = /[\u0000-\u0020\u007f\\]/;
const CONTROLS = /[\u0000-\u001f\u007f]/;
/** Nothing that we link to is encoded more often. */
const MAX_ROUNDS = 3;

/**
 * A path of this site that may be redirected to, normalised; `fallback` for everything else:
 * other origins however they are written (`//evil`, `/\evil`, `/.//evil`, encoded once or more
 * often), control characters, and what is no text. A tag may have spaces, backslashes and percent signs, encoded.
 */
export function safePath(value: unknown, fallback: string): string {
  if (typeof value !== "string" || value.length > LONGEST_PATH) return fallback;
  if (NEVER_SENT.test(value) || !leadsHome(value)) return fallback;
  let [path = ""] = value.split(/[?#]/, 1);
  for (let round = 0; ; round++) {
    const decoded = decodePath(path);
    if (decoded === undefined && round === 0) return fallback;
    if (decoded === undefined || decoded === path) break;
    if (round === MAX_ROUNDS || CONTROLS.test(decoded) || !leadsHome(decoded)) return fallback;
    path = decoded;
  }
  const { pathname, search, hash } = new URL(value, OWN_ORIGIN);
  const target = pathname + search + hash;
  // What it has become is judged too: `/../%2Fevil` becomes `/%2Fevil`.
  return target === value ? target : safePath(target, fallback);
}

function leadsHome(path: string): boolean {
  const url = path.startsWith("/") ? parseUrl(path, OWN_ORIGIN) : undefined;
  return url !== undefined && url.origin === OWN_ORIGIN && !url.pathname.startsWith("//");
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
