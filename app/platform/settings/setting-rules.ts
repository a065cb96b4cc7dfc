import { z } from "zod";
import { isLoopback } from "../loopback";

/** A setting the operator has to correct; its message is the one sentence to print. */
export class SettingsError extends Error {}

/** What the values of settings have to be. */

/** As many characters as 192 bits take in base64: what signs cookies must not be guessed. */
export const SECRET_MIN_LENGTH = 32;

export const line = z.string().trim();
export const text = (fallback: string) => line.min(1).default(fallback);
/** One of some words, of which the first is the default. */
export const choice = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z
    .enum(words)
    .default(words[0] as never)
    .describe(words.join(", ").replace(/, (\w[\w-]*)$/, " or $1"));
export const wholeNumber = (least: number, most: number) =>
  line
    .regex(/^\d+$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most);

export const byteCount = (least: 0 | 1) => wholeNumber(least, Number.MAX_SAFE_INTEGER);
export const BYTES = "a whole number of bytes";
export const AT_LEAST_A_BYTE = `${BYTES}, at least 1`;

/** What the site does, or doesn't. */
export const onOff = (fallback: "on" | "off") =>
  choice("on", "off")
    .default(fallback)
    .transform((value) => value === "on")
    .describe("on or off");

/** Lenient on purpose: admin@localhost is a fine account on a machine of one's own. */
export const email = line.regex(/^[^\s@]+@[^\s@]+$/).max(254);

export const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A length of time such as 30m, 12h, 1d or 2w, in milliseconds. */
export const lengthOfTime = (leastMs: number, mostMs: number) =>
  line
    .regex(/^\d{1,5}[mhdw]$/)
    .transform((value) => Number(value.slice(0, -1)) * UNIT_MS[value.slice(-1) as "m"])
    .refine((value) => value >= leastMs && value <= mostMs);

/** Such as 20/h,2%/d: a number an hour, and a share of all a day. */
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

/** One that stands in a header of a mail: without what could begin another. */
export const mailbox = email.regex(/^[^\s@,;:<>()"\\]+@[\w.-]+$/);

/** A secret in the address of a request would be sent in clear. */
export function isWebhookUrl(value: string): boolean {
  if (!isHttpUrl(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  return !username && !password && (protocol === "https:" || isLoopback(hostname));
}

export function isSmtpUrl(value: string): boolean {
  try {
    const { protocol, hostname, username, password, pathname, search } = new URL(value);
    // What is escaped wrongly would fail at the first mail.
    decodeURIComponent(username + password);
    return /^smtps?:$/.test(protocol) && hostname !== "" && /^\/?$/.test(pathname) && !search;
  } catch {
    return false;
  }
}

/** An address without a path; the origin of it, without a trailing slash. */
export const origin = line
  .refine((value) => isHttpUrl(value) && /^\/?$/.test(new URL(value).pathname))
  .transform((value) => new URL(value).origin);
