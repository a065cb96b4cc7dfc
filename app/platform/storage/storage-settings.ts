import type { z } from "zod";
import {
  BYTES,
  byteCount,
  choice,
  line,
  origin,
  SECRET_MIN_LENGTH,
  SettingsError,
} from "../settings/setting-rules";
import { parseStorageUrl } from "./storage-url";

const ADDRESS =
  "s3://bucket/prefix?endpoint=https://s3.example&region=eu-1, or file:///mnt/files for a folder";

/** The settings for the object store. If they aren't set, all files are in UPLOADS_DIR. */
export const STORAGE_VARIABLES = {
  STORAGE_URL: line
    .transform((text) => ({ text, address: parseStorageUrl(text) }))
    .refine(({ address }) => address !== undefined)
    .optional()
    .describe(ADDRESS),
  AWS_ACCESS_KEY_ID: line.optional().describe("the id of an access key"),
  AWS_SECRET_ACCESS_KEY: line.optional().describe("the secret of that access key"),
  STORAGE_DELIVERY: choice("proxy", "redirect"),
  /** The size of the cache in UPLOADS_DIR for files that are in the store. */
  STORAGE_CACHE_BYTES: byteCount(0)
    .default(10 * 1024 ** 3)
    .describe(BYTES),
  CDN_URL: origin
    .optional()
    .describe(
      "the URL of a CDN in front of the store, without a path, such as https://cdn.example",
    ),
  CDN_SECRET: line
    .min(SECRET_MIN_LENGTH)
    .optional()
    .describe(`the key of that CDN, at least ${SECRET_MIN_LENGTH} characters`),
  CDN_SIGNING: choice("nginx", "bunny"),
};

type Parsed = {
  [Name in keyof typeof STORAGE_VARIABLES]: z.output<(typeof STORAGE_VARIABLES)[Name]>;
};

/** @throws {SettingsError} if a setting requires another setting that isn't set. */
export function requireStorageSettings(parsed: Parsed): void {
  const address = parsed.STORAGE_URL?.address;
  const isRedirect = parsed.STORAGE_DELIVERY === "redirect";
  const needs = (name: string, needed: keyof Parsed) =>
    new SettingsError(
      `${name} needs ${needed}, which must be ${STORAGE_VARIABLES[needed].description}.`,
    );
  if (parsed.CDN_URL && !isRedirect) {
    throw new SettingsError("CDN_URL needs STORAGE_DELIVERY=redirect.");
  }
  if (parsed.CDN_URL && !parsed.CDN_SECRET) throw needs("CDN_URL", "CDN_SECRET");
  if (parsed.CDN_URL && !address) throw needs("CDN_URL", "STORAGE_URL");
  if (isRedirect && !parsed.CDN_URL && address?.kind !== "s3") {
    throw new SettingsError(
      "STORAGE_DELIVERY=redirect needs CDN_URL, or a STORAGE_URL such as s3://bucket/prefix?endpoint=https://s3.example&region=eu-1.",
    );
  }
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] as const) {
    if (address?.kind === "s3" && !parsed[name]) throw needs("STORAGE_URL", name);
  }
}

/** Returns the store's configuration; undefined if there is no store. */
export function storageOf(parsed: Parsed) {
  const { address, text: url } = parsed.STORAGE_URL ?? {};
  if (!address || !url) return undefined;
  return {
    address,
    /** STORAGE_URL, for use in messages. It doesn't contain any keys. */
    url,
    keys: {
      accessKeyId: parsed.AWS_ACCESS_KEY_ID ?? "",
      secretAccessKey: parsed.AWS_SECRET_ACCESS_KEY ?? "",
    },
    /** Whether visitors are redirected to the store for stream segments. */
    redirects: parsed.STORAGE_DELIVERY === "redirect",
    /** The CDN to which visitors are redirected instead. Its URLs are signed with the CDN's secret. */
    cdn: parsed.CDN_URL
      ? { origin: parsed.CDN_URL, signing: parsed.CDN_SIGNING, secret: parsed.CDN_SECRET! }
      : undefined,
  };
}
