const OWN_FILE = /^\/media\/(?:videos|thumbnails)(?:\/(?!\.{1,2}(?:\/|$))[^/\\?#%\p{Cc}\s]+){2,}$/u;

/**
 * A stored address when it is a file of our own buckets, else undefined.
 *
 * Rows are written by other tools too and may hold anything; only this keeps a page free of
 * requests to other hosts, and of `javascript:`.
 */
export function ownMediaPath(address: string | null | undefined): string | undefined {
  return address && OWN_FILE.test(address) ? address : undefined;
}
