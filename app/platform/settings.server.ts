import { z } from "zod";
import { CODECS } from "~/shared/streams/codecs";
import { configureDatabase } from "~db/client.server";
import { configureLitestream } from "~db/litestream.server";
import { childVariables } from "./settings/child-environment";
import { mayRequireCheck, parseCountryRules } from "./settings/country-rules";
import { trustedProxies } from "./settings/proxy-settings";
import { environmentValue } from "./settings/secret-files.server";
import {
  AT_LEAST_ONE_BYTE,
  BYTES,
  byteCount,
  choice,
  duration,
  email,
  hideLimit,
  isHttpUrl,
  isSmtpUrl,
  isWebhookUrl,
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
 * The operator's settings: environment variables that are parsed once, before anything else happens. An invalid value
 * aborts startup with a one-line message about the variable and the expected value.
 */

const secret = line.min(SECRET_MIN_LENGTH).optional();
const folder = line.optional().describe("a folder");
const webhookUrl = line
  .refine(isWebhookUrl)
  .optional()
  .describe("an https URL (http only for this machine) without a user name");
const someEmail = email.optional().describe("an email address");
const someMailbox = mailbox.optional().describe("an email address");

/** The environment variables. A description completes the sentence "NAME must be …". */
const variables = {
  NODE_ENV: choice("production", "development", "test"),
  PORT: wholeNumber(0, 65_535).default(3000).describe("a whole number from 0 to 65535"),
  HOST: line
    .min(1)
    .optional()
    .describe("an address of this machine to listen on, such as 127.0.0.1"),
  DATABASE_PATH: text("db/data/site.sqlite").describe("the path of the SQLite file"),
  UPLOADS_DIR: text("uploads").describe(
    "the path of the folder that contains videos/, thumbnails/ and tmp/",
  ),
  /**
   * The first secret is used for signing, and all of them for verifying. If undefined, the secret in the file next to
   * the database is used.
   */
  SESSION_SECRET: z
    .string()
    .transform((value) => value.split(",").map((each) => each.trim()))
    .refine((secrets) => secrets.every((each) => each.length >= SECRET_MIN_LENGTH))
    .optional()
    .describe(
      `one or more secrets of at least ${SECRET_MIN_LENGTH} characters each, separated by commas, the newest first (create one with openssl rand -base64 32)`,
    ),
  ADMIN_EMAIL: email.optional().describe("the email address of the first account"),
  ADMIN_PASSWORD: z
    .string()
    .refine((value) => value.length >= 10 && Buffer.byteLength(value) <= 72)
    .optional()
    .describe("a password of at least 10 characters and at most 72 bytes"),
  /** An origin without a trailing slash. If undefined, the origin is taken from each request. */
  PUBLIC_URL: origin
    .optional()
    .describe("the URL that visitors use, without a path, such as https://videos.example"),
  SITE_NAME: text("Afterdark").pipe(z.string().max(60)).describe("a name of 1 to 60 characters"),
  JOIN_URL: line.refine(isHttpUrl).optional().describe("an http or https URL"),
  CONTACT_EMAIL: someEmail,
  /** The folder whose videos the studio can import. */
  IMPORT_DIR: folder,
  /** The folder for scheduled backups. If undefined, backups aren't scheduled. */
  BACKUP_DIR: folder,
  BACKUP_EVERY: duration(15 * UNIT_MS.m, 52 * UNIT_MS.w)
    .default(UNIT_MS.d)
    .describe("a duration from 15m to 52w, such as 12h, 1d or 1w"),
  /** The number of backups to keep. */
  BACKUP_KEEP: wholeNumber(1, 1000)
    .default(7)
    .describe("a whole number of backups, from 1 to 1000"),
  /** Whether backups include the uploaded files. */
  BACKUP_UPLOADS: onOff("on"),
  /** The URL to which alerts for the operator are sent. */
  ALERT_WEBHOOK: webhookUrl,
  ALERT_WEBHOOK_SECRET: secret.describe(
    `at least ${SECRET_MIN_LENGTH} characters, or whsec_ and base64 (openssl rand -base64 32)`,
  ),
  ALERT_EMAIL: someMailbox,
  SMTP_URL: line
    .refine(isSmtpUrl)
    .optional()
    .describe("the URL of a mail server, such as smtps://user:password@mail.example:465"),
  /** The sender. If undefined, it is the same as the recipient. */
  SMTP_FROM: someMailbox,
  /** Whether a report about a minor or about missing consent hides the video immediately. */
  REPORT_HIDE: onOff("on"),
  /** The limit on the number of videos that reports about minors or missing consent can hide. */
  REPORT_HIDE_LIMIT: hideLimit
    .default({ perHour: 20, shareOfDay: 0.02 })
    .describe(
      "a number of videos per hour and a percentage of all videos per day, such as 20/h,2%/d",
    ),
  /** How long a decision may take if the law doesn't require one within 48 hours. */
  REPORT_DEADLINE: duration(UNIT_MS.h, 52 * UNIT_MS.w)
    .default(5 * UNIT_MS.d)
    .describe("a duration from 1h to 52w, such as 5d"),
  /** How long a report's text is kept after the decision. */
  REPORT_KEEP: duration(UNIT_MS.d, 520 * UNIT_MS.w)
    .default(90 * UNIT_MS.d)
    .describe("a duration from 1d to 520w, such as 90d"),
  MAX_VIDEO_BYTES: byteCount(1)
    .default(2 * 1024 ** 3)
    .describe(AT_LEAST_ONE_BYTE),
  MAX_THUMBNAIL_BYTES: byteCount(1)
    .default(10 * 1024 ** 2)
    .describe(AT_LEAST_ONE_BYTE),
  /** The maximum number of requests for files that one network may have in progress. */
  MAX_PARALLEL_MEDIA: wholeNumber(1, 10_000)
    .default(100)
    .describe("a whole number of requests, from 1 to 10000"),
  /**
   * The transfer budget for video files per calendar month (UTC). If undefined, no alerts about the transfer volume are
   * sent.
   */
  TRANSFER_BUDGET_BYTES: byteCount(1).optional().describe(AT_LEAST_ONE_BYTE),
  /**
   * Whether the data is locked so that only one server can use it. It has to be off for file systems that don't support
   * locks.
   */
  DATA_LOCK: onOff("on"),
  /** The token for reading the metrics. If undefined, only requests from this machine can read them. */
  METRICS_TOKEN: line
    .regex(/^\S{16,}$/)
    .optional()
    .describe(
      "a token of at least 16 characters without spaces (create one with openssl rand -hex 32)",
    ),
  LOG_FORMAT: choice("text", "json"),
  AGE_GATE: onOff("on"),
  SERVICE_WORKER: onOff("on"),
  /** The number of jobs that the server process runs at the same time. 0 leaves the jobs to `npm run jobs`. */
  ENCODER_CONCURRENCY: wholeNumber(0, 8)
    .default(1)
    .describe("a whole number of parallel jobs, from 0 (none in the server process) to 8"),
  /** The number of encoder threads. 0 means one for each processor. */
  ENCODER_THREADS: wholeNumber(0, 64)
    .default(0)
    .describe("a whole number of threads, from 0 (one for each processor) to 64"),
  ENCODER_HARDWARE: choice("off", "vaapi", "nvenc", "qsv"),
  /** The shorter side of the largest rendition. */
  ENCODER_MAX_HEIGHT: wholeNumber(240, 2160)
    .default(1080)
    .describe("a whole number of lines, from 240 to 2160"),
  /** The codecs in which streams are encoded. Codecs after H.264 are used for popular videos and on request. */
  ENCODER_CODECS: z
    .string()
    .default("h264")
    .transform((value) => value.split(",").map((codec) => codec.trim().toLowerCase()))
    .pipe(z.array(z.enum(CODECS)))
    .refine((codecs) => codecs.includes("h264"))
    .describe("h264, or h264 followed by av1 or hevc, separated by commas"),
  /** The number of views at which a video starts to count as popular. */
  ENCODER_CODECS_VIEWS: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .default(1_000)
    .describe("a whole number of views"),
  /**
   * The queue pauses while less than this much disk space is free. If undefined, the limit is 1 GiB, or 5% of a small
   * disk.
   */
  ENCODER_FREE_BYTES: byteCount(0).optional().describe(BYTES),
  ENCODER_PRESET: z
    .enum(["auto", "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow"])
    .default("auto")
    .describe("auto, or an x264 preset from ultrafast to slow"),
  /** How long the uploaded file is kept in addition to the playable one. */
  KEEP_SOURCES: choice("always", "until-converted", "never"),
  /** The command, with arguments, that scans new files before they are public. If undefined, files aren't scanned. */
  SCAN_COMMAND: z
    .string()
    .transform(splitCommand)
    .refine((words) => words !== undefined)
    .optional()
    .describe("a command and its arguments, such as /usr/local/bin/scan --quiet"),
  /** If set, nginx sends the files after an X-Accel-Redirect to this location. */
  ACCEL_PREFIX: line
    .regex(/^\/[\w./-]*[\w-]$/)
    .optional()
    .describe("the internal nginx location that maps to UPLOADS_DIR, such as /protected"),
  TRUSTED_PROXIES: trustedProxies,
  ...STORAGE_VARIABLES,
  /** The header's name in lowercase. If undefined, the visitor's country isn't used. */
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
    .describe("country codes with rules, such as US-TX=check,FR=closed,others=open,unknown=check"),
  AGE_CHECK_URL: webhookUrl,
  AGE_CHECK_SECRET: secret.describe(
    `the secret that the provider signs with, at least ${SECRET_MIN_LENGTH} characters (openssl rand -base64 32)`,
  ),
  /** How long the result of an age check is valid. */
  AGE_CHECK_KEEP: duration(UNIT_MS.h, 52 * UNIT_MS.w)
    .default(30 * UNIT_MS.d)
    .describe("a duration from 1h to 52w, such as 12h, 1d or 4w"),
  /** The number of strikes after which an uploader is blocked. 0 means that strikes never block anyone. */
  STRIKES_BLOCK: wholeNumber(0, 20)
    .default(3)
    .describe("a whole number of strikes, from 0 (never) to 20"),
  /** The default limits for uploaders. Undefined means no limit. */
  UPLOADER_MAX_BYTES: byteCount(1).optional().describe(AT_LEAST_ONE_BYTE),
  UPLOADER_MAX_VIDEOS_PER_DAY: wholeNumber(1, 1_000_000)
    .optional()
    .describe("a whole number of videos, at least 1"),
  UPLOADER_MAX_QUEUED_JOBS: wholeNumber(1, 1_000_000)
    .optional()
    .describe("a whole number of jobs, at least 1"),
  /** Whether a video needs a valid consent record before it is published. */
  REQUIRE_CONSENT: onOff("off"),
  /** The name and address of the custodian of records, as a list of lines. If undefined, there is no Records page. */
  RECORDS_CUSTODIAN: z
    .string()
    .transform((value) => value.split(/[|\r\n]+/).flatMap((line) => line.trim() || []))
    .refine((lines) => lines.length > 0 && lines.join().length <= 1000)
    .optional()
    .describe("a name and a postal address of at most 1000 characters, with lines separated by |"),
  /** Whether checkpoints are left to Litestream. `auto` leaves them to Litestream if the database has its tables. */
  LITESTREAM: choice("auto", "on", "off"),
  /** The origin of the site that this read replica copies. If undefined, this site is a primary. */
  READ_ONLY_FROM: origin
    .optional()
    .describe(
      "the URL of the site that this one reads from, without a path, such as https://videos.example",
    ),
  /** The maximum age of the replica. Older data isn't shown. */
  READ_ONLY_MAX_AGE: duration(UNIT_MS.m, 52 * UNIT_MS.w)
    .default(6 * UNIT_MS.h)
    .describe("a duration from 1m to 52w, such as 6h"),
} as const;

type Name = keyof typeof variables;
type Parsed = { [N in Name]: z.output<(typeof variables)[N]> };

/** The environment variables that the site reads. */
export const SETTING_NAMES = Object.keys(variables) as Name[];

/** The exceptions to the rule that a setting's property name is the variable's name in camel case. */
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

/** Settings that require another setting. */
const REQUIRED_WITH = [
  ["ALERT_WEBHOOK", "ALERT_WEBHOOK_SECRET"],
  ["ALERT_EMAIL", "SMTP_URL"],
  ["COUNTRY_RULES", "COUNTRY_HEADER"],
  ["AGE_CHECK_URL", "AGE_CHECK_SECRET"],
  ["READ_ONLY_FROM", "SESSION_SECRET"],
] as const;

/**
 * Parses the settings in an environment. Secrets may also be read from files whose paths are in the environment. An
 * empty variable counts as unset.
 *
 * @throws {SettingsError} for the first invalid variable.
 */
export function parseSettings(environment: Record<string, string | undefined>) {
  const values: Record<string, unknown> = {};
  const properties: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const result = variables[name].safeParse(environmentValue(name, environment));
    if (!result.success) {
      throw new SettingsError(`${name} must be ${variables[name].description}.`);
    }
    values[name] = properties[propertyOf(name)] = result.data;
  }
  const parsed = values as Parsed;
  const needs = (name: string, needed: Name) =>
    new SettingsError(`${name} needs ${needed}, which must be ${variables[needed].description}.`);
  for (const [name, needed] of REQUIRED_WITH) {
    if (parsed[name] && !parsed[needed]) throw needs(name, needed);
  }
  if (parsed.COUNTRY_RULES && mayRequireCheck(parsed.COUNTRY_RULES) && !parsed.AGE_CHECK_URL) {
    throw needs("COUNTRY_RULES with check", "AGE_CHECK_URL");
  }
  requireStorageSettings(parsed);
  return {
    ...(properties as { [N in Name as Property<N>]: Parsed[N] }),
    /** The object store. If undefined, all files are in UPLOADS_DIR. */
    storage: storageOf(parsed),
  };
}

export type Settings = ReturnType<typeof parseSettings>;

let current: Settings | undefined;

/** Returns this process's settings. They are parsed on first use. */
export function settings(): Settings {
  current ??= parseSettings(process.env);
  return current;
}

configureDatabase(
  () => settings().databasePath,
  () => settings().readOnlyFrom !== undefined,
);
configureLitestream(() => settings().litestream);

/** Discards the parsed settings, so that a test can change the environment. */
export function forgetSettings(): void {
  current = undefined;
}

/** Returns the environment of a child process or thread that reads uploaded files. It doesn't contain any secrets. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return childVariables(process.env);
}
