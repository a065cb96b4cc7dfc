import { z } from "zod";
import { parseCountryRules } from "./country-rules";
import {
  isWebhookUrl,
  lengthOfTime,
  SECRET_MIN_LENGTH,
  UNIT_MS,
  wholeNumber,
} from "./setting-rules";

/** The settings of trust and safety; all that they do is off by default. */
export const TRUST_VARIABLES = {
  COUNTRY_HEADER: {
    takes: "the name of a header that the proxy sets, such as CF-IPCountry",
    schema: z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[\w-]{1,60}$/)
      .optional(),
  },
  COUNTRY_RULES: {
    takes: "codes and what they are, such as US-TX=check,FR=closed,others=open,unknown=check",
    schema: z
      .string()
      .transform(parseCountryRules)
      .refine((rules) => rules !== undefined)
      .optional(),
  },
  AGE_CHECK_URL: {
    takes: "an https address (http on this machine alone) without a user name in it",
    schema: z.string().trim().refine(isWebhookUrl).optional(),
  },
  AGE_CHECK_SECRET: {
    takes: `at least ${SECRET_MIN_LENGTH} characters, the same that the provider signs with (openssl rand -base64 32)`,
    schema: z.string().trim().min(SECRET_MIN_LENGTH).optional(),
  },
  AGE_CHECK_KEEP: {
    takes: "a length of time from 1h to 52w, such as 12h, 1d or 4w",
    schema: lengthOfTime(UNIT_MS.h, 52 * UNIT_MS.w).default(30 * UNIT_MS.d),
  },
  STRIKES_BLOCK: {
    takes: "a whole number of strikes, from 0 (never) to 20",
    schema: wholeNumber(0, 20).default(3),
  },
  UPLOADER_MAX_BYTES: {
    takes: "a whole number of bytes, at least 1",
    schema: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  },
  UPLOADER_MAX_VIDEOS_PER_DAY: {
    takes: "a whole number of videos, at least 1",
    schema: wholeNumber(1, 1_000_000).optional(),
  },
  UPLOADER_MAX_QUEUED_JOBS: {
    takes: "a whole number of jobs, at least 1",
    schema: wholeNumber(1, 1_000_000).optional(),
  },
  REQUIRE_CONSENT: { takes: "on or off", schema: z.enum(["on", "off"]).default("off") },
  RECORDS_CUSTODIAN: {
    takes: "a name and an address of at most 1000 characters, its lines separated by |",
    schema: z
      .string()
      .transform((value) => value.split(/[|\r\n]+/).flatMap((line) => line.trim() || []))
      .refine((lines) => lines.length > 0 && lines.join().length <= 1000)
      .optional(),
  },
} as const;

type Parsed = {
  [Name in keyof typeof TRUST_VARIABLES]: z.output<(typeof TRUST_VARIABLES)[Name]["schema"]>;
};

/** The same under the names that the code knows them by. */
export function trustSettings(parsed: Parsed) {
  return {
    /** In lower case. Undefined: the site does not ask where somebody is. */
    countryHeader: parsed.COUNTRY_HEADER,
    countryRules: parsed.COUNTRY_RULES,
    ageCheckUrl: parsed.AGE_CHECK_URL,
    ageCheckSecret: parsed.AGE_CHECK_SECRET,
    /** How long the answer of a check is remembered. */
    ageCheckKeepMs: parsed.AGE_CHECK_KEEP,
    /** With so many strikes an uploader is blocked; 0: never by themselves. */
    strikesBlock: parsed.STRIKES_BLOCK,
    /** The quota of an uploader without limits of their own. Undefined: no limit. */
    uploaderMaxBytes: parsed.UPLOADER_MAX_BYTES,
    uploaderMaxVideosPerDay: parsed.UPLOADER_MAX_VIDEOS_PER_DAY,
    uploaderMaxQueuedJobs: parsed.UPLOADER_MAX_QUEUED_JOBS,
    /** Whether a video needs a valid record of everyone shown before it is published. */
    requireConsent: parsed.REQUIRE_CONSENT === "on",
    /** The lines of who keeps the records, for a page that there is only with it. */
    recordsCustodian: parsed.RECORDS_CUSTODIAN,
  };
}
