import type { Kysely } from "kysely";
import { Secret, TOTP } from "otpauth";
import QRCode from "qrcode";
import { decrypt, encrypt } from "~/server/secret-box.server";
import { settings } from "~/server/settings.server";
import { database } from "~db/client.server";
import type { Schema } from "~db/schema";
import { countRecoveryCodes, makeRecoveryCodes, spendRecoveryCode } from "./recovery-codes.server";

/** RFC 6238 with what every authenticator app takes: SHA-1, six digits, 30 seconds. */
const STEP_SECONDS = 30;
const SECRET_BYTES = 20;
/** A code of the step before or after is taken too: clocks differ (RFC 6238 section 5.2). */
const STEPS_AROUND = 1;
const PURPOSE = "second factor";

export interface SecondFactor {
  /** ISO 8601 UTC; undefined while it is off. */
  enabledAt: string | undefined;
  recoveryCodesLeft: number;
}

/** What an authenticator app is set up with. */
export interface Enrolment {
  /** In groups of four letters and digits, to be typed. */
  key: string;
  /** The same as a QR code, an SVG in a data URL. */
  qrCode: string;
}

export async function findSecondFactor(userId: string): Promise<SecondFactor> {
  const user = await factorOf(userId);
  return {
    enabledAt: user?.totp_enabled_at ?? undefined,
    recoveryCodesLeft: await countRecoveryCodes(userId),
  };
}

/** Makes a new secret for the app. It counts only once a code of it is confirmed. */
export async function beginEnrolment(userId: string): Promise<void> {
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  await database()
    .updateTable("users")
    .set({ totp_secret: encrypt(PURPOSE, secret), totp_last_step: null })
    .where("id", "=", userId)
    .where("totp_enabled_at", "is", null)
    .execute();
}

/** The enrolment that waits for its first code; undefined when none does. */
export async function findEnrolment(userId: string): Promise<Enrolment | undefined> {
  const user = await factorOf(userId);
  if (!user || user.totp_enabled_at !== null) return undefined;
  const totp = totpOf(user);
  if (!totp) return undefined;
  const svg = await QRCode.toString(totp.toString(), { type: "svg", margin: 2 });
  return {
    key: totp.secret.base32.match(/.{1,4}/g)!.join(" "),
    qrCode: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`,
  };
}

/**
 * Turns the second factor on when the app shows the right code.
 *
 * @param db the transaction that it is a part of.
 * @returns the recovery codes, to be shown once; undefined for a wrong code.
 */
export async function confirmEnrolment(
  userId: string,
  code: string,
  db: Kysely<Schema>,
  now = Date.now(),
): Promise<string[] | undefined> {
  const user = await factorOf(userId, db);
  if (!user || user.totp_enabled_at !== null || !(await useCode(user, code, now, db))) {
    return undefined;
  }
  await db
    .updateTable("users")
    .set({ totp_enabled_at: new Date(now).toISOString() })
    .where("id", "=", userId)
    .execute();
  return makeRecoveryCodes(userId, db);
}

/** Which kind of code it was that proved the second factor; undefined when it proved nothing. */
export async function checkSecondFactor(
  userId: string,
  code: string,
  now = Date.now(),
): Promise<"app" | "recovery" | undefined> {
  const user = await factorOf(userId);
  if (!user || user.totp_enabled_at === null) return undefined;
  if (await useCode(user, code, now)) return "app";
  return (await spendRecoveryCode(userId, code)) ? "recovery" : undefined;
}

/** Turns the second factor off; its secret and the recovery codes are forgotten. */
export async function removeSecondFactor(userId: string, db = database()): Promise<void> {
  await db
    .updateTable("users")
    .set({ totp_secret: null, totp_enabled_at: null, totp_last_step: null })
    .where("id", "=", userId)
    .execute();
  await db.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
}

interface FactorRow {
  id: string;
  email: string;
  totp_secret: string | null;
  totp_enabled_at: string | null;
}

async function factorOf(userId: string, db = database()): Promise<FactorRow | undefined> {
  return db
    .selectFrom("users")
    .select(["id", "email", "totp_secret", "totp_enabled_at"])
    .where("id", "=", userId)
    .executeTakeFirst();
}

function totpOf(user: FactorRow): TOTP | undefined {
  const secret = user.totp_secret && decrypt(PURPOSE, user.totp_secret);
  if (!secret) return undefined;
  const issuer = settings().siteName;
  return new TOTP({ issuer, label: user.email, secret: Secret.fromBase32(secret) });
}

/** Accepts a code of the app once: the same or an earlier one is rejected afterwards. */
async function useCode(
  user: FactorRow,
  code: string,
  now: number,
  db = database(),
): Promise<boolean> {
  const token = code.replace(/\s/g, "");
  const delta = /^\d{6}$/.test(token)
    ? totpOf(user)?.validate({ token, timestamp: now, window: STEPS_AROUND })
    : null;
  if (delta === null || delta === undefined) return false;
  const step = Math.floor(now / 1000 / STEP_SECONDS) + delta;
  const { numUpdatedRows } = await db
    .updateTable("users")
    .set({ totp_last_step: step })
    .where("id", "=", user.id)
    .where((row) => row.or([row("totp_last_step", "is", null), row("totp_last_step", "<", step)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
