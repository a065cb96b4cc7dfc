const OWN_FILE = /^\/media\/(?:videos|thumbnails)(?:\/(?!\.{1,2}(?:\/|$))[^/\\?#%\p{Cc}\s]+){2,}$/u;

/**
 * Returns a stored URL if it is a file in our own buckets, else undefined.
 *
 * Other tools also write rows, which may contain anything. This check is what prevents requests to other hosts, and
 * `javascript:` URLs.
 */
export function ownMediaPath(address: string | null | undefined): string | undefined {
  return address && OWN_FILE.test(address) ? address : undefined;
}
