import { z } from "zod";
import { isLoopback } from "../loopback";

/** Thrown if a setting is invalid. The message is for the operator. */
export class SettingsError extends Error {}

/** The minimum length of a secret: 192 bits in base64, so that the secret that signs cookies can't be guessed. */
export const SECRET_MIN_LENGTH = 32;

export const line = z.string().trim();
export const text = (fallback: string) => line.min(1).default(fallback);
/** A setting that is one of several words, the first of which is the default. */
export const choice = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z
    .enum(words)
    .default(words[0] as never)
    .describe(words.join(", ").replace(/, (\w[\w-]*)$/, " or $1"));
export const wholeNumber = (min: number, max: number) =>
  line
    .regex(/^\d+$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);

export const byteCount = (min: 0 | 1) => wholeNumber(min, Number.MAX_SAFE_INTEGER);
export const BYTES = "a whole number of bytes";
export const AT_LEAST_ONE_BYTE = `${BYTES}, at least 1`;

/** A switch: `on` or `off`. */
export const onOff = (fallback: "on" | "off") =>
  choice("on", "off")
    .default(fallback)
    .transform((value) => value === "on")
    .describe("on or off");

/**
 * Matches email addresses. It is lenient on purpose, because admin@localhost is a valid account on a private machine.
 */
export const email = line.regex(/^[^\s@]+@[^\s@]+$/).max(254);

export const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A duration such as 30m, 12h, 1d or 2w, converted to milliseconds. */
export const duration = (minMs: number, maxMs: number) =>
  line
    .regex(/^\d{1,5}[mhdw]$/)
    .transform((value) => Number(value.slice(0, -1)) * UNIT_MS[value.slice(-1) as "m"])
    .refine((value) => value >= minMs && value <= maxMs);

/** A limit such as 20/h,2%/d: a number per hour, and a share of all videos per day. */
export const hideLimit = line
  .regex(/^\d{1,6}\/h,\s*\d{1,3}(\.\d{1,2})?%\/d$/)
  .transform((value) => {
    const [perHour = 0, percent = 0] = value.split(",").map(Number.parseFloat);
    return { perHour, shareOfDay: percent / 100 };
  });

export function isHttpUrl(value: string): boolean {
  try {
    return ["http:", "https:"].includes(new URL(value).protocol);
  } catch {
    return false;
  }
}

/** An email address for a mail header, without characters that could start another address. */
export const mailbox = email.regex(/^[^\s@,;:<>()"\\]+@[\w.-]+$/);

/**
 * Whether a URL can receive webhooks. Because the requests contain secrets, the URL has to use https unless it refers
 * to this machine.
 */
export function isWebhookUrl(value: string): boolean {
  if (!isHttpUrl(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  return !username && !password && (protocol === "https:" || isLoopback(hostname));
}

export function isSmtpUrl(value: string): boolean {
  try {
    const { protocol, hostname, username, password, pathname, search } = new URL(value);
    // This throws if the escaping is invalid. Otherwise, the first email would fail.
    decodeURIComponent(username + password);
    return /^smtps?:$/.test(protocol) && hostname !== "" && /^\/?$/.test(pathname) && !search;
  } catch {
    return false;
  }
}

/** A URL without a path, converted to its origin, without a trailing slash. */
export const origin = line
  .refine((value) => isHttpUrl(value) && /^\/?$/.test(new URL(value).pathname))
  .transform((value) => new URL(value).origin);
