import { z } from "zod";
import { origin, SECRET_MIN_LENGTH, wholeNumber } from "../settings/setting-rules";
import { parseStorageUrl } from "./storage-url";

const ADDRESS =
  "s3://bucket/prefix?endpoint=https://s3.example&region=eu-1, or file:///mnt/files for a folder";

/** The settings of files in a store; without them all files are in UPLOADS_DIR. */
export const STORAGE_VARIABLES = {
  STORAGE_URL: {
    takes: ADDRESS,
    schema: z
      .string()
      .trim()
      .transform((text) => ({ text, address: parseStorageUrl(text) }))
      .refine(({ address }) => address !== undefined)
      .optional(),
  },
  AWS_ACCESS_KEY_ID: { takes: "the name of a key", schema: z.string().trim().optional() },
  AWS_SECRET_ACCESS_KEY: { takes: "the secret of that key", schema: z.string().trim().optional() },
  STORAGE_DELIVERY: {
    takes: "proxy or redirect",
    schema: z.enum(["proxy", "redirect"]).default("proxy"),
  },
  STORAGE_CACHE_BYTES: {
    takes: "a whole number of bytes",
    schema: wholeNumber(0, Number.MAX_SAFE_INTEGER).default(10 * 1024 ** 3),
  },
  CDN_URL: {
    takes: "the address of a CDN before the store, without a path, such as https://cdn.example",
    schema: origin.optional(),
  },
  CDN_SECRET: {
    takes: `the key of that CDN, at least ${SECRET_MIN_LENGTH} characters`,
    schema: z.string().trim().min(SECRET_MIN_LENGTH).optional(),
  },
  CDN_SIGNING: { takes: "nginx or bunny", schema: z.enum(["nginx", "bunny"]).default("nginx") },
} as const;

type Parsed = {
  [Name in keyof typeof STORAGE_VARIABLES]: z.output<(typeof STORAGE_VARIABLES)[Name]["schema"]>;
};

/** What is of no use without another, as a sentence; undefined when all is there. */
export function requireStorageSettings(parsed: Parsed): string | undefined {
  const address = parsed.STORAGE_URL?.address;
  const isRedirect = parsed.STORAGE_DELIVERY === "redirect";
  if (parsed.CDN_URL && !isRedirect) return "CDN_URL needs STORAGE_DELIVERY=redirect.";
  if (parsed.CDN_URL && !parsed.CDN_SECRET) {
    return `CDN_URL needs CDN_SECRET, which must be ${STORAGE_VARIABLES.CDN_SECRET.takes}.`;
  }
  if (isRedirect && !(address?.kind === "s3" || (address && parsed.CDN_URL))) {
    return parsed.CDN_URL
      ? `CDN_URL needs STORAGE_URL, which must be ${ADDRESS}.`
      : "STORAGE_DELIVERY=redirect needs STORAGE_URL to be s3://bucket/prefix?endpoint=https://s3.example&region=eu-1, or CDN_URL.";
  }
  if (address?.kind !== "s3") return undefined;
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] as const) {
    if (!parsed[name])
      return `STORAGE_URL needs ${name}, which must be ${STORAGE_VARIABLES[name].takes}.`;
  }
  return undefined;
}

export function storageSettings(parsed: Parsed) {
  const { address } = parsed.STORAGE_URL ?? {};
  return {
    /** What UPLOADS_DIR may take for copies of files that are in the store. */
    storageCacheBytes: parsed.STORAGE_CACHE_BYTES,
    /** Where files are. Undefined: in UPLOADS_DIR. */
    storage: address && {
      address,
      /** Names it, without any key. */
      url: parsed.STORAGE_URL!.text,
      keys: {
        accessKeyId: parsed.AWS_ACCESS_KEY_ID ?? "",
        secretAccessKey: parsed.AWS_SECRET_ACCESS_KEY ?? "",
      },
      /** Whether visitors are sent to the store for the parts of streams. */
      redirects: parsed.STORAGE_DELIVERY === "redirect",
      /** Where they are sent instead, by addresses that are signed with its secret. */
      cdn: parsed.CDN_URL
        ? { origin: parsed.CDN_URL, signing: parsed.CDN_SIGNING, secret: parsed.CDN_SECRET! }
        : undefined,
    },
  };
}
