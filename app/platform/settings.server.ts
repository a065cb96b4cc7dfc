import { z } from "zod";
import { CODECS } from "~/shared/streams/codecs";
import { locateDatabase } from "~db/client.server";
import { locateLitestream } from "~db/litestream.server";
import { childVariables } from "./settings/child-environment";
import { mayAskForCheck, parseCountryRules } from "./settings/country-rules";
import { trustedProxies } from "./settings/proxy-settings";
import { givenValue } from "./settings/secret-files.server";
import {
  AT_LEAST_A_BYTE,
  BYTES,
  byteCount,
  choice,
  email,
  hideLimit,
  isHttpUrl,
  isSmtpUrl,
  isWebhookUrl,
  lengthOfTime,
  line,
  mailbox,
  onOff,
  origin,
  SECRET_MIN_LENGTH,
  SettingsError,
  text,
  UNIT_MS,
  wholeNumber,
} from "./settings/setting-rules";
import { splitCommand } from "./settings/split-command";
import { requireStorageSettings, STORAGE_VARIABLES, storageOf } from "./storage/storage-settings";

export { SettingsError };

/**
 * The operator's settings: environment variables, parsed once, before anything else happens.
 * A bad value ends the start with one sentence that names the variable and what it takes.
 */

const secret = line.min(SECRET_MIN_LENGTH).optional();
const folder = line.optional().describe("a folder");
const webhookUrl = line
  .refine(isWebhookUrl)
  .optional()
  .describe("an https address (http on this machine alone) without a user name in it");
const someEmail = email.optional().describe("an e-mail address");
const someMailbox = mailbox.optional().describe("an e-mail address");

/** The variables. A description completes the sentence "NAME must be …". */
const variables = {
  NODE_ENV: choice("production", "development", "test"),
  PORT: wholeNumber(0, 65_535).default(3000).describe("a whole number from 0 to 65535"),
  HOST: line
    .min(1)
    .optional()
    .describe("an address of this machine to listen on, such as 127.0.0.1"),
  DATABASE_PATH: text("db/data/site.sqlite").describe("the path of the SQLite file"),
  UPLOADS_DIR: text("uploads").describe(
    "the path of the folder that holds videos/, thumbnails/ and tmp/",
  ),
  /** The first signs, all verify. Undefined: the secret kept beside the database. */
  SESSION_SECRET: z
    .string()
    .transform((value) => value.split(",").map((each) => each.trim()))
    .refine((secrets) => secrets.every((each) => each.length >= SECRET_MIN_LENGTH))
    .optional()
    .describe(
      `one or more secrets of at least ${SECRET_MIN_LENGTH} characters each, separated by commas, the newest first (openssl rand -base64 32 makes one)`,
    ),
  ADMIN_EMAIL: email.optional().describe("the e-mail address of the first account"),
  ADMIN_PASSWORD: z
    .string()
    .refine((value) => value.length >= 10 && Buffer.byteLength(value) <= 72)
    .optional()
    .describe("a password of at least 10 characters and at most 72 bytes"),
  /** Origin without a trailing slash. Undefined: taken from each request. */
  PUBLIC_URL: origin
    .optional()
    .describe("the address visitors use, without a path, such as https://videos.example"),
  SITE_NAME: text("Afterdark").pipe(z.string().max(60)).describe("a name of 1 to 60 characters"),
  JOIN_URL: line.refine(isHttpUrl).optional().describe("an http or https address"),
  CONTACT_EMAIL: someEmail,
  /** Whose videos the studio may import. */
  IMPORT_DIR: folder,
  /** Where the site backs itself up. Undefined: nowhere. */
  BACKUP_DIR: folder,
  BACKUP_EVERY: lengthOfTime(15 * UNIT_MS.m, 52 * UNIT_MS.w)
    .default(UNIT_MS.d)
    .describe("a length of time from 15m to 52w, such as 12h, 1d or 1w"),
  /** How many backups stay. */
  BACKUP_KEEP: wholeNumber(1, 1000)
    .default(7)
    .describe("a whole number of backups, from 1 to 1000"),
  /** Whether they have the uploaded files. */
  BACKUP_UPLOADS: onOff("on"),
  /** Where notices to the operator go. */
  ALERT_WEBHOOK: webhookUrl,
  ALERT_WEBHOOK_SECRET: secret.describe(
    `at least ${SECRET_MIN_LENGTH} characters, or whsec_ and base64 (openssl rand -base64 32)`,
  ),
  ALERT_EMAIL: someMailbox,
  SMTP_URL: line
    .refine(isSmtpUrl)
    .optional()
    .describe("the address of a mail server, such as smtps://user:password@mail.example:465"),
  /** Who they come from. Undefined: from whom they go to. */
  SMTP_FROM: someMailbox,
  /** Whether a report of somebody under age, or without consent, hides the video at once. */
  REPORT_HIDE: onOff("on"),
  /** How many videos such reports hide at most. */
  REPORT_HIDE_LIMIT: hideLimit
    .default({ perHour: 20, shareOfDay: 0.02 })
    .describe("a number of videos an hour and a percentage of all a day, such as 20/h,2%/d"),
  /** How long a decision may take where no law sets 48 hours. */
  REPORT_DEADLINE: lengthOfTime(UNIT_MS.h, 52 * UNIT_MS.w)
    .default(5 * UNIT_MS.d)
    .describe("a length of time from 1h to 52w, such as 5d"),
  /** How long after its decision a report's texts stay. */
  REPORT_KEEP: lengthOfTime(UNIT_MS.d, 520 * UNIT_MS.w)
    .default(90 * UNIT_MS.d)
    .describe("a length of time from 1d to 520w, such as 90d"),
  MAX_VIDEO_BYTES: byteCount(1)
    .default(2 * 1024 ** 3)
    .describe(AT_LEAST_A_BYTE),
  MAX_THUMBNAIL_BYTES: byteCount(1)
    .default(10 * 1024 ** 2)
    .describe(AT_LEAST_A_BYTE),
  /** Requests for files that one network may have in progress. */
  MAX_PARALLEL_MEDIA: wholeNumber(1, 10_000)
    .default(100)
    .describe("a whole number of requests, from 1 to 10000"),
  /** Bytes of video files in a calendar month (UTC) of which alerts warn. Undefined: no alerts. */
  TRANSFER_BUDGET_BYTES: byteCount(1).optional().describe(AT_LEAST_A_BYTE),
  /** Whether the data are locked for one server; off for file systems that know no locks. */
  DATA_LOCK: onOff("on"),
  /** What reads the metrics. Undefined: whoever asks from this machine. */
  METRICS_TOKEN: line
    .regex(/^\S{16,}$/)
    .optional()
    .describe("a token of at least 16 characters without spaces (openssl rand -hex 32 makes one)"),
  LOG_FORMAT: choice("text", "json"),
  AGE_GATE: onOff("on"),
  SERVICE_WORKER: onOff("on"),
  /** Jobs that the server's process runs at once; 0 leaves them to `npm run jobs`. */
  ENCODER_CONCURRENCY: wholeNumber(0, 8)
    .default(1)
    .describe("a whole number of jobs at once, from 0 (none in the server's process) to 8"),
  /** 0: as many as there are processors. */
  ENCODER_THREADS: wholeNumber(0, 64)
    .default(0)
    .describe("a whole number of threads, from 0 (as many as processors) to 64"),
  ENCODER_HARDWARE: choice("off", "vaapi", "nvenc", "qsv"),
  /** The shorter side of the largest rendition. */
  ENCODER_MAX_HEIGHT: wholeNumber(240, 2160)
    .default(1080)
    .describe("a whole number of lines, from 240 to 2160"),
  /** What streams are made in; what is behind H.264 for popular videos and by hand. */
  ENCODER_CODECS: z
    .string()
    .default("h264")
    .transform((value) => value.split(",").map((codec) => codec.trim().toLowerCase()))
    .pipe(z.array(z.enum(CODECS)))
    .refine((codecs) => codecs.includes("h264"))
    .describe("h264, or h264 with av1 or hevc behind it, separated by commas"),
  /** From so many views on a video is popular. */
  ENCODER_CODECS_VIEWS: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .default(1_000)
    .describe("a whole number of views"),
  /** The queue waits while less than this is free. Undefined: 1 GiB, on a small disk 5% of it. */
  ENCODER_FREE_BYTES: byteCount(0).optional().describe(BYTES),
  ENCODER_PRESET: z
    .enum(["auto", "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow"])
    .default("auto")
    .describe("auto, or a preset of x264 from ultrafast to slow"),
  /** How long the file as it came stays beside the one that is played. */
  KEEP_SOURCES: choice("always", "until-converted", "never"),
  /** What scans new files before they are public, with its arguments. Undefined: nothing does. */
  SCAN_COMMAND: z
    .string()
    .transform(splitCommand)
    .refine((words) => words !== undefined)
    .optional()
    .describe("a command and its arguments, such as /usr/local/bin/scan --quiet"),
  /** When set, files are handed to nginx with X-Accel-Redirect below this location. */
  ACCEL_PREFIX: line
    .regex(/^\/[\w./-]*[\w-]$/)
    .optional()
    .describe("the internal location of nginx that maps to UPLOADS_DIR, such as /protected"),
  TRUSTED_PROXIES: trustedProxies,
  ...STORAGE_VARIABLES,
  /** In lower case. Undefined: the site does not ask where somebody is. */
  COUNTRY_HEADER: line
    .toLowerCase()
    .regex(/^[\w-]{1,60}$/)
    .optional()
    .describe("the name of a header that the proxy sets, such as CF-IPCountry"),
  COUNTRY_RULES: z
    .string()
    .transform(parseCountryRules)
    .refine((rules) => rules !== undefined)
    .optional()
    .describe("codes and what they are, such as US-TX=check,FR=closed,others=open,unknown=check"),
  AGE_CHECK_URL: webhookUrl,
  AGE_CHECK_SECRET: secret.describe(
    `at least ${SECRET_MIN_LENGTH} characters, the same that the provider signs with (openssl rand -base64 32)`,
  ),
  /** How long the answer of a check is remembered. */
  AGE_CHECK_KEEP: lengthOfTime(UNIT_MS.h, 52 * UNIT_MS.w)
    .default(30 * UNIT_MS.d)
    .describe("a length of time from 1h to 52w, such as 12h, 1d or 4w"),
  /** With so many strikes an uploader is blocked; 0: never by themselves. */
  STRIKES_BLOCK: wholeNumber(0, 20)
    .default(3)
    .describe("a whole number of strikes, from 0 (never) to 20"),
  /** The quota of an uploader without limits of their own. Undefined: no limit. */
  UPLOADER_MAX_BYTES: byteCount(1).optional().describe(AT_LEAST_A_BYTE),
  UPLOADER_MAX_VIDEOS_PER_DAY: wholeNumber(1, 1_000_000)
    .optional()
    .describe("a whole number of videos, at least 1"),
  UPLOADER_MAX_QUEUED_JOBS: wholeNumber(1, 1_000_000)
    .optional()
    .describe("a whole number of jobs, at least 1"),
  /** Whether a video needs a valid record of everyone shown before it is published. */
  REQUIRE_CONSENT: onOff("off"),
  /** The lines of who keeps the records, for a page that there is only with it. */
  RECORDS_CUSTODIAN: z
    .string()
    .transform((value) => value.split(/[|\r\n]+/).flatMap((line) => line.trim() || []))
    .refine((lines) => lines.length > 0 && lines.join().length <= 1000)
    .optional()
    .describe("a name and an address of at most 1000 characters, its lines separated by |"),
  /** Whether the log of the database is left to it; `auto`: once its tables are there. */
  LITESTREAM: choice("auto", "on", "off"),
  /** The site whose copy this one shows, an origin. Undefined: it is a site of its own. */
  READ_ONLY_FROM: origin
    .optional()
    .describe(
      "the address of the site that writes, without a path, such as https://videos.example",
    ),
  /** Older copies are not shown. */
  READ_ONLY_MAX_AGE: lengthOfTime(UNIT_MS.m, 52 * UNIT_MS.w)
    .default(6 * UNIT_MS.h)
    .describe("a length of time from 1m to 52w, such as 6h"),
} as const;

type Name = keyof typeof variables;
type Parsed = { [N in Name]: z.output<(typeof variables)[N]> };

/** The environment variables that the site reads. */
export const SETTING_NAMES = Object.keys(variables) as Name[];

/** The code knows a setting by the name of its variable in camel case, but for these. */
const PROPERTIES = {
  NODE_ENV: "environment",
  SESSION_SECRET: "sessionSecrets",
  BACKUP_EVERY: "backupEveryMs",
  REPORT_DEADLINE: "reportDeadlineMs",
  REPORT_KEEP: "reportKeepMs",
  AGE_CHECK_KEEP: "ageCheckKeepMs",
  READ_ONLY_MAX_AGE: "readOnlyMaxAgeMs",
} as const;

type CamelCase<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Text>;
type Property<N extends Name> = N extends keyof typeof PROPERTIES
  ? (typeof PROPERTIES)[N]
  : CamelCase<N>;

function propertyOf(name: Name): string {
  const camelCase = name.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  return (PROPERTIES as Partial<Record<Name, string>>)[name] ?? camelCase;
}

/** What is of no use without another. */
const TOGETHER = [
  ["ALERT_WEBHOOK", "ALERT_WEBHOOK_SECRET"],
  ["ALERT_EMAIL", "SMTP_URL"],
  ["COUNTRY_RULES", "COUNTRY_HEADER"],
  ["AGE_CHECK_URL", "AGE_CHECK_SECRET"],
  ["READ_ONLY_FROM", "SESSION_SECRET"],
] as const;

/**
 * Reads the settings from an environment, secrets also from files that it names. An empty variable counts
 * as unset.
 *
 * @throws {SettingsError} for the first variable that is not what it should be.
 */
export function parseSettings(environment: Record<string, string | undefined>) {
  const values: Record<string, unknown> = {};
  const properties: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const result = variables[name].safeParse(givenValue(name, environment));
    if (!result.success) {
      throw new SettingsError(`${name} must be ${variables[name].description}.`);
    }
    values[name] = properties[propertyOf(name)] = result.data;
  }
  const parsed = values as Parsed;
  const needs = (name: string, needed: Name) =>
    new SettingsError(`${name} needs ${needed}, which must be ${variables[needed].description}.`);
  for (const [name, needed] of TOGETHER) {
    if (parsed[name] && !parsed[needed]) throw needs(name, needed);
  }
  if (parsed.COUNTRY_RULES && mayAskForCheck(parsed.COUNTRY_RULES) && !parsed.AGE_CHECK_URL) {
    throw needs("COUNTRY_RULES with check", "AGE_CHECK_URL");
  }
  requireStorageSettings(parsed);
  return {
    ...(properties as { [N in Name as Property<N>]: Parsed[N] }),
    /** Where files are. Undefined: in UPLOADS_DIR. */
    storage: storageOf(parsed),
  };
}

export type Settings = ReturnType<typeof parseSettings>;

let current: Settings | undefined;

/** The settings of this process, parsed on first use. */
export function settings(): Settings {
  current ??= parseSettings(process.env);
  return current;
}

locateDatabase(
  () => settings().databasePath,
  () => settings().readOnlyFrom !== undefined,
);
locateLitestream(() => settings().litestream);

/** Forgets the parsed settings, so that a test can change the environment. */
export function forgetSettings(): void {
  current = undefined;
}

/** Returns the environment of a child process or thread that reads uploaded files: no secret. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return childVariables(process.env);
}
