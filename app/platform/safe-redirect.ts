import { parseUrl } from "~/shared/addresses";

/** A placeholder for our origin. Nobody can own an .invalid domain (RFC 2606). */
const OWN_ORIGIN = "http://own.invalid";
const MAX_PATH_LENGTH = 2_000;

/** Characters that our URLs never contain unencoded: control characters, spaces and backslashes. */
const NEVER_SENT = /[\u0000-\u0020\u007f\\]/;
const CONTROLS = /[\u0000-\u001f\u007f]/;
/** The maximum number of times that a path is decoded. None of our links is encoded more than three times. */
const MAX_ROUNDS = 3;

/**
 * Returns a normalized path on this site to which a visitor can be redirected. Returns `fallback` for anything else:
 * other origins in any spelling (`//evil`, `/\evil`, `/.//evil`, encoded once or several times), control characters,
 * and values that aren't strings. A tag may contain encoded spaces, backslashes and percent signs.
 */
export function safePath(value: unknown, fallback: string): string {
  if (typeof value !== "string" || value.length > MAX_PATH_LENGTH) return fallback;
  if (NEVER_SENT.test(value) || !isOwnPath(value)) return fallback;
  let [path = ""] = value.split(/[?#]/, 1);
  for (let round = 0; ; round++) {
    const decoded = decodePath(path);
    if (decoded === undefined && round === 0) return fallback;
    if (decoded === undefined || decoded === path) break;
    if (round === MAX_ROUNDS || CONTROLS.test(decoded) || !isOwnPath(decoded)) return fallback;
    path = decoded;
  }
  const { pathname, search, hash } = new URL(value, OWN_ORIGIN);
  const target = pathname + search + hash;
  // The normalized path has to be checked too, because `/../%2Fevil` becomes `/%2Fevil`.
  return target === value ? target : safePath(target, fallback);
}

function isOwnPath(path: string): boolean {
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
