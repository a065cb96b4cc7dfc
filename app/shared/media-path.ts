const OWN_FILE = /^\/media\/(?:videos|thumbnails)(?:\/(?!\.{1,2}(?:\/|$))[^/\\?#%\p{Cc}\s]+){2,}$/u;

/**
 * Returns a stored URL if it refers to a file in our buckets, or undefined otherwise.
 *
 * Rows written by other tools can contain any URL, so this check prevents requests to other hosts and `javascript:`
 * URLs.
 */
export function ownMediaPath(address: string | null | undefined): string | undefined {
  return address && OWN_FILE.test(address) ? address : undefined;
}
