import { z } from "zod";
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
} as const;

type Parsed = {
  [Name in keyof typeof STORAGE_VARIABLES]: z.output<(typeof STORAGE_VARIABLES)[Name]["schema"]>;
};

/** What is of no use without another, as a sentence; undefined when all is there. */
export function requireStorageSettings(parsed: Parsed): string | undefined {
  const address = parsed.STORAGE_URL?.address;
  if (parsed.STORAGE_DELIVERY === "redirect" && address?.kind !== "s3") {
    return `STORAGE_DELIVERY=redirect needs STORAGE_URL to be s3://bucket/prefix?endpoint=https://s3.example&region=eu-1.`;
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
    /** Where the bytes of films are. Undefined: with everything else, in UPLOADS_DIR. */
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
    },
  };
}
