import { z } from "zod";
import { locateDatabase } from "~db/client.server";
import { locateLitestream } from "~db/litestream.server";
import { REPLICA_VARIABLES, replicaSettings } from "./reader/replica-settings";
import { childVariables } from "./settings/child-environment";
import { mayAskForCheck } from "./settings/country-rules";
import { ENCODER_VARIABLES } from "./settings/encoder-settings";
import { PROXY_VARIABLES } from "./settings/proxy-settings";
import { givenValue } from "./settings/secret-files.server";
import {
  email,
  hideLimit,
  isHttpUrl,
  isSmtpUrl,
  isWebhookUrl,
  lengthOfTime,
  mailbox,
  origin,
  SECRET_MIN_LENGTH,
  SettingsError,
  text,
  UNIT_MS,
  wholeNumber,
} from "./settings/setting-rules";
import { splitCommand } from "./settings/split-command";
import { TRUST_VARIABLES, trustSettings } from "./settings/trust-settings";
import {
  requireStorageSettings,
  STORAGE_VARIABLES,
  storageSettings,
} from "./storage/storage-settings";

export { SettingsError };

/**
 * The operator's settings: environment variables, parsed once, before anything else happens.
 * A bad value ends the start with one sentence that names the variable and what it takes.
 */

const variables = {
  NODE_ENV: {
    takes: "production, development or test",
    schema: z.enum(["production", "development", "test"]).default("production"),
  },
  PORT: {
    takes: "a whole number from 0 to 65535",
    schema: wholeNumber(0, 65_535).default(3000),
  },
  HOST: {
    takes: "an address of this machine to listen on, such as 127.0.0.1",
    schema: z.string().trim().min(1).optional(),
  },
  DATABASE_PATH: {
    takes: "the path of the SQLite file",
    schema: text("db/data/site.sqlite"),
  },
  UPLOADS_DIR: {
    takes: "the path of the folder that holds videos/, thumbnails/ and tmp/",
    schema: text("uploads"),
  },
  SESSION_SECRET: {
    takes: `one or more secrets of at least ${SECRET_MIN_LENGTH} characters each, separated by commas, the newest first (openssl rand -base64 32 makes one)`,
    schema: z
      .string()
      .transform((value) => value.split(",").map((secret) => secret.trim()))
      .refine((secrets) => secrets.every((secret) => secret.length >= SECRET_MIN_LENGTH))
      .optional(),
  },
  ADMIN_EMAIL: {
    takes: "the e-mail address of the first account",
    schema: email.optional(),
  },
  ADMIN_PASSWORD: {
    takes: "a password of at least 10 characters and at most 72 bytes",
    schema: z
      .string()
      .refine((value) => value.length >= 10 && Buffer.byteLength(value) <= 72)
      .optional(),
  },
  PUBLIC_URL: {
    takes: "the address visitors use, without a path, such as https://videos.example",
    schema: origin.optional(),
  },
  SITE_NAME: {
    takes: "a name of 1 to 60 characters",
    schema: text("Afterdark").pipe(z.string().max(60)),
  },
  JOIN_URL: {
    takes: "an http or https address",
    schema: z.string().trim().refine(isHttpUrl).optional(),
  },
  CONTACT_EMAIL: { takes: "an e-mail address", schema: email.optional() },
  IMPORT_DIR: { takes: "a folder", schema: z.string().trim().optional() },
  BACKUP_DIR: { takes: "a folder", schema: z.string().trim().optional() },
  BACKUP_EVERY: {
    takes: "a length of time from 15m to 52w, such as 12h, 1d or 1w",
    schema: lengthOfTime(15 * UNIT_MS.m, 52 * UNIT_MS.w).default(UNIT_MS.d),
  },
  BACKUP_KEEP: {
    takes: "a whole number of backups, from 1 to 1000",
    schema: wholeNumber(1, 1000).default(7),
  },
  BACKUP_UPLOADS: { takes: "on or off", schema: z.enum(["on", "off"]).default("on") },
  ALERT_WEBHOOK: {
    takes: "an https address (http on this machine alone) without a user name in it",
    schema: z.string().trim().refine(isWebhookUrl).optional(),
  },
  ALERT_WEBHOOK_SECRET: {
    takes: `at least ${SECRET_MIN_LENGTH} characters, or whsec_ and base64 (openssl rand -base64 32)`,
    schema: z.string().trim().min(SECRET_MIN_LENGTH).optional(),
  },
  ALERT_EMAIL: { takes: "an e-mail address", schema: mailbox.optional() },
  SMTP_URL: {
    takes: "the address of a mail server, such as smtps://user:password@mail.example:465",
    schema: z.string().trim().refine(isSmtpUrl).optional(),
  },
  SMTP_FROM: { takes: "an e-mail address", schema: mailbox.optional() },
  REPORT_HIDE: { takes: "on or off", schema: z.enum(["on", "off"]).default("on") },
  REPORT_HIDE_LIMIT: {
    takes: "a number of videos an hour and a percentage of all a day, such as 20/h,2%/d",
    schema: hideLimit.default({ perHour: 20, shareOfDay: 0.02 }),
  },
  REPORT_DEADLINE: {
    takes: "a length of time from 1h to 52w, such as 5d",
    schema: lengthOfTime(UNIT_MS.h, 52 * UNIT_MS.w).default(5 * UNIT_MS.d),
  },
  REPORT_KEEP: {
    takes: "a length of time from 1d to 520w, such as 90d",
    schema: lengthOfTime(UNIT_MS.d, 520 * UNIT_MS.w).default(90 * UNIT_MS.d),
  },
  MAX_VIDEO_BYTES: {
    takes: "a whole number of bytes, at least 1",
    schema: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(2 * 1024 ** 3),
  },
  MAX_THUMBNAIL_BYTES: {
    takes: "a whole number of bytes, at least 1",
    schema: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(10 * 1024 ** 2),
  },
  MAX_PARALLEL_MEDIA: {
    takes: "a whole number of requests, from 1 to 10000",
    schema: wholeNumber(1, 10_000).default(100),
  },
  TRANSFER_BUDGET_BYTES: {
    takes: "a whole number of bytes, at least 1",
    schema: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  },
  DATA_LOCK: { takes: "on or off", schema: z.enum(["on", "off"]).default("on") },
  METRICS_TOKEN: {
    takes: "a token of at least 16 characters without spaces (openssl rand -hex 32 makes one)",
    schema: z
      .string()
      .trim()
      .regex(/^\S{16,}$/)
      .optional(),
  },
  LOG_FORMAT: { takes: "text or json", schema: z.enum(["text", "json"]).default("text") },
  AGE_GATE: { takes: "on or off", schema: z.enum(["on", "off"]).default("on") },
  SERVICE_WORKER: { takes: "on or off", schema: z.enum(["on", "off"]).default("on") },
  ...ENCODER_VARIABLES,
  KEEP_SOURCES: {
    takes: "always, until-converted or never",
    schema: z.enum(["always", "until-converted", "never"]).default("always"),
  },
  SCAN_COMMAND: {
    takes: "a command and its arguments, such as /usr/local/bin/scan --quiet",
    schema: z
      .string()
      .transform(splitCommand)
      .refine((words) => words !== undefined)
      .optional(),
  },
  ACCEL_PREFIX: {
    takes: "the internal location of nginx that maps to UPLOADS_DIR, such as /protected",
    schema: z
      .string()
      .trim()
      .regex(/^\/[\w./-]*[\w-]$/)
      .optional(),
  },
  ...PROXY_VARIABLES,
  ...STORAGE_VARIABLES,
  ...TRUST_VARIABLES,
  ...REPLICA_VARIABLES,
} as const;

/** The environment variables that the site reads. */
export const SETTING_NAMES = Object.keys(variables);

type Variables = typeof variables;
type Parsed = { [Name in keyof Variables]: z.output<Variables[Name]["schema"]> };

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
  for (const [name, { schema, takes }] of Object.entries(variables)) {
    const result = (schema as z.ZodType).safeParse(givenValue(name, environment));
    if (!result.success) throw new SettingsError(`${name} must be ${takes}.`);
    values[name] = result.data;
  }
  const parsed = values as Parsed;
  for (const [name, needed] of TOGETHER) {
    if (parsed[name] && !parsed[needed]) {
      throw new SettingsError(`${name} needs ${needed}, which must be ${variables[needed].takes}.`);
    }
  }
  if (parsed.COUNTRY_RULES && mayAskForCheck(parsed.COUNTRY_RULES) && !parsed.AGE_CHECK_URL) {
    throw new SettingsError(
      `COUNTRY_RULES with check needs AGE_CHECK_URL, which must be ${variables.AGE_CHECK_URL.takes}.`,
    );
  }
  const lacking = requireStorageSettings(parsed);
  if (lacking) throw new SettingsError(lacking);
  return {
    environment: parsed.NODE_ENV,
    port: parsed.PORT,
    host: parsed.HOST,
    databasePath: parsed.DATABASE_PATH,
    uploadsDir: parsed.UPLOADS_DIR,
    /** The first signs, all verify. Undefined: the secret kept beside the database. */
    sessionSecrets: parsed.SESSION_SECRET,
    adminEmail: parsed.ADMIN_EMAIL,
    adminPassword: parsed.ADMIN_PASSWORD,
    /** Origin without a trailing slash. Undefined: taken from each request. */
    publicUrl: parsed.PUBLIC_URL,
    trustedProxies: parsed.TRUSTED_PROXIES,
    siteName: parsed.SITE_NAME,
    joinUrl: parsed.JOIN_URL,
    contactEmail: parsed.CONTACT_EMAIL,
    /** Whose videos the studio may import. */
    importDir: parsed.IMPORT_DIR,
    /** Where the site backs itself up. Undefined: nowhere. */
    backupDir: parsed.BACKUP_DIR,
    backupEveryMs: parsed.BACKUP_EVERY,
    /** How many backups stay. */
    backupKeep: parsed.BACKUP_KEEP,
    /** Whether they have the uploaded files. */
    backupUploads: parsed.BACKUP_UPLOADS === "on",
    /** Where notices to the operator go. */
    alertWebhook: parsed.ALERT_WEBHOOK,
    alertWebhookSecret: parsed.ALERT_WEBHOOK_SECRET,
    alertEmail: parsed.ALERT_EMAIL,
    smtpUrl: parsed.SMTP_URL,
    /** Who they come from. Undefined: from whom they go to. */
    smtpFrom: parsed.SMTP_FROM,
    /** Whether a report of somebody under age, or without consent, hides the video at once. */
    reportHide: parsed.REPORT_HIDE === "on",
    /** How many videos such reports hide at most. */
    reportHideLimit: parsed.REPORT_HIDE_LIMIT,
    /** How long a decision may take where no law sets 48 hours. */
    reportDeadlineMs: parsed.REPORT_DEADLINE,
    /** How long after its decision a report's texts stay. */
    reportKeepMs: parsed.REPORT_KEEP,
    maxVideoBytes: parsed.MAX_VIDEO_BYTES,
    maxThumbnailBytes: parsed.MAX_THUMBNAIL_BYTES,
    /** Requests for files that one network may have in progress. */
    maxParallelMedia: parsed.MAX_PARALLEL_MEDIA,
    /** Bytes of video files in a calendar month (UTC) of which alerts warn. Undefined: no alerts. */
    transferBudgetBytes: parsed.TRANSFER_BUDGET_BYTES,
    /** Whether the data are locked for one server; off for file systems that know no locks. */
    dataLock: parsed.DATA_LOCK === "on",
    /** What reads the metrics. Undefined: whoever asks from this machine. */
    metricsToken: parsed.METRICS_TOKEN,
    logFormat: parsed.LOG_FORMAT,
    ageGate: parsed.AGE_GATE === "on",
    serviceWorker: parsed.SERVICE_WORKER === "on",
    /** Jobs that the server's process runs at once; 0 leaves them to `npm run jobs`. */
    encoderConcurrency: parsed.ENCODER_CONCURRENCY,
    /** 0: as many as there are processors. */
    encoderThreads: parsed.ENCODER_THREADS,
    encoderHardware: parsed.ENCODER_HARDWARE,
    /** The shorter side of the largest rendition. */
    encoderMaxHeight: parsed.ENCODER_MAX_HEIGHT,
    /** The queue waits while less than this is free. Undefined: 1 GiB, on a small disk 5% of it. */
    encoderFreeBytes: parsed.ENCODER_FREE_BYTES,
    encoderPreset: parsed.ENCODER_PRESET,
    /** What streams are made in; what is behind H.264 for popular videos and by hand. */
    encoderCodecs: parsed.ENCODER_CODECS,
    /** From so many views on a video is popular. */
    encoderCodecsViews: parsed.ENCODER_CODECS_VIEWS,
    /** How long the file as it came stays beside the one that is played. */
    keepSources: parsed.KEEP_SOURCES,
    /** What scans new files before they are public, with its arguments. Undefined: nothing does. */
    scanCommand: parsed.SCAN_COMMAND,
    /** When set, files are handed to nginx with X-Accel-Redirect below this location. */
    accelPrefix: parsed.ACCEL_PREFIX,
    ...storageSettings(parsed),
    ...trustSettings(parsed),
    ...replicaSettings(parsed),
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
