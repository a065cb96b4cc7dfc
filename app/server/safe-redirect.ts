import { parseUrl } from "~/shared/addresses";

/** Stands for our own origin; .invalid belongs to nobody (RFC 2606). */
const OWN_ORIGIN = "http://own.invalid";
const LONGEST_PATH = 2_000;

/**
 * A path of this site that may be redirected to, normalised; `fallback` for everything else:
 * other origins however they are written (`//evil`, `/\evil`, `/.//evil`, encoded once or more
 * often), control characters, and what is no text.
 */
export function safePath(value: unknown, fallback: string): string {
  if (typeof value !== "string" || value.length > LONGEST_PATH) return fallback;
  let decoded = value;
  for (let round = 0; ; round++) {
    if (!leadsHome(decoded)) return fallback;
    const [path = ""] = decoded.split(/[?#]/, 1);
    const next = decodePath(path);
    if (next === undefined) return fallback;
    if (next === path) break;
    // Nothing that we link to is encoded this often.
    if (round === 3) return fallback;
    decoded = next;
  }
  const { pathname, search, hash } = new URL(value, OWN_ORIGIN);
  const target = pathname + search + hash;
  // What it has become is judged too: `/../%2Fevil` becomes `/%2Fevil`.
  return target === value ? target : safePath(target, fallback);
}

function leadsHome(value: string): boolean {
  if (!value.startsWith("/") || /[\u0000-\u0020\u007f\\]/.test(value)) return false;
  const url = parseUrl(value, OWN_ORIGIN);
  return url !== undefined && url.origin === OWN_ORIGIN && !url.pathname.startsWith("//");
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
