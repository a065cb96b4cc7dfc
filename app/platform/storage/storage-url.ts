import { parseUrl } from "~/shared/addresses";

/** The parsed STORAGE_URL. */
export type StorageAddress =
  | { kind: "folder"; folder: string }
  | {
      kind: "s3";
      bucket: string;
      /** The prefix of every key. It is empty or ends with a slash. */
      prefix: string;
      /** The store's origin. */
      endpoint: string;
      region: string;
    };

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[\w.-]+(?:\/[\w.-]+)*$/;
const REGION = /^[\w-]{1,40}$/;
const DEFAULT_REGION = "us-east-1";

/**
 * Parses `s3://bucket/prefix?endpoint=https://s3.example&region=eu-1` or `file:///mnt/files`; undefined if it is
 * invalid.
 */
export function parseStorageUrl(text: string): StorageAddress | undefined {
  const url = parseUrl(text);
  if (!url) return undefined;
  const { protocol, host, pathname, searchParams, username, password, hash } = url;
  if (username || password || hash) return undefined;
  if (protocol === "file:") {
    const isFolder = host === "" && pathname.length > 1 && searchParams.size === 0;
    return isFolder ? { kind: "folder", folder: decodeURIComponent(pathname) } : undefined;
  }
  const prefix = pathname.replace(/^\/|\/$/g, "");
  if (protocol !== "s3:" || !BUCKET.test(host)) return undefined;
  if (prefix !== "" && !(PREFIX.test(prefix) && !/(?:^|\/)\.\.?(?:\/|$)/.test(prefix))) {
    return undefined;
  }
  const region = searchParams.get("region") ?? DEFAULT_REGION;
  const endpoint = searchParams.get("endpoint") ?? `https://s3.${region}.amazonaws.com`;
  const known = [...searchParams.keys()].every((name) => name === "region" || name === "endpoint");
  if (!known || !REGION.test(region) || !isOrigin(endpoint)) return undefined;
  return {
    kind: "s3",
    bucket: host,
    prefix: prefix && `${prefix}/`,
    endpoint: new URL(endpoint).origin,
    region,
  };
}

function isOrigin(text: string): boolean {
  const url = parseUrl(text);
  if (!url) return false;
  const { protocol, pathname, search, username } = url;
  return /^https?:$/.test(protocol) && pathname === "/" && !search && !username;
}
