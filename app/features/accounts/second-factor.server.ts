import { createHash, randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { renderSVG } from "uqr";
import { decrypt, encrypt } from "~/platform/encryption.server";
import { settings } from "~/platform/settings.server";
import { database, prepared, transaction } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";

/** RFC 6238 with what every authenticator app takes: SHA-1, six digits, 30 seconds. */
const STEP_SECONDS = 30;
const SECRET_BYTES = 20;
/** A code of the step before or after is taken too: clocks differ (RFC 6238 section 5.2). */
const STEPS_AROUND = 1;
const PURPOSE = "second factor";

/** When it was turned on, ISO 8601 UTC, undefined while it is off; and how many recovery codes are left. */
export async function findSecondFactor(userId: string) {
  const { recoveryCodesLeft } = await database()
    .selectFrom("recovery_codes")
    .select((row) => row.fn.countAll<number>().as("recoveryCodesLeft"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return { enabledAt: factorOf(userId)?.totp_enabled_at ?? undefined, recoveryCodesLeft };
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

/**
 * The enrolment that waits for its first code, undefined when none does: its key in groups of four characters, to be
 * typed, and as a QR code, an SVG in a data URL.
 */
export async function findEnrolment(
  userId: string,
): Promise<{ key: string; qrCode: string } | undefined> {
  const user = factorOf(userId);
  if (!user || user.totp_enabled_at !== null) return undefined;
  const totp = totpOf(user);
  if (!totp) return undefined;
  const svg = renderSVG(totp.toString(), { ecc: "M", border: 2 });
  return {
    key: totp.secret.base32.match(/.{1,4}/g)!.join(" "),
    qrCode: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`,
  };
}

/**
 * Turns the second factor on when the app shows the right code, as a part of a transaction.
 *
 * @returns the recovery codes, to be shown once; undefined for a wrong code.
 */
export function confirmEnrolment(
  userId: string,
  code: string,
  now = Date.now(),
): string[] | undefined {
  const user = factorOf(userId);
  if (!user || user.totp_enabled_at !== null) return undefined;
  const step = stepOf(user, code, now);
  if (step === undefined || !useStep(user, step)) return undefined;
  const totp_enabled_at = new Date(now).toISOString();
  runChange(database().updateTable("users").set({ totp_enabled_at }).where("id", "=", userId));
  return createRecoveryCodes(userId);
}

/** Which kind of code it was that proved the second factor; undefined when it proved nothing. */
export async function checkSecondFactor(
  userId: string,
  code: string,
  now = Date.now(),
): Promise<"app" | "recovery" | undefined> {
  const user = factorOf(userId);
  if (!user || user.totp_enabled_at === null) return undefined;
  const step = stepOf(user, code, now);
  if (step !== undefined && (await transaction(() => useStep(user, step)))) return "app";
  return (await spendRecoveryCode(userId, code)) ? "recovery" : undefined;
}

/** Turns the second factor off, as a part of a transaction; its secret and the recovery codes are forgotten. */
export function removeSecondFactor(userId: string): void {
  const none = { totp_secret: null, totp_enabled_at: null, totp_last_step: null };
  runChange(database().updateTable("users").set(none).where("id", "=", userId));
  runChange(database().deleteFrom("recovery_codes").where("user_id", "=", userId));
}

interface FactorRow {
  id: string;
  email: string;
  totp_secret: string | null;
  totp_enabled_at: string | null;
}

function factorOf(userId: string): FactorRow | undefined {
  return firstRow(
    database()
      .selectFrom("users")
      .select(["id", "email", "totp_secret", "totp_enabled_at"])
      .where("id", "=", userId),
  );
}

function totpOf(user: FactorRow): TOTP | undefined {
  const secret = user.totp_secret && decrypt(PURPOSE, user.totp_secret);
  if (!secret) return undefined;
  const issuer = settings().siteName;
  return new TOTP({ issuer, label: user.email, secret: Secret.fromBase32(secret) });
}

function stepOf(user: FactorRow, code: string, now: number): number | undefined {
  const token = code.replace(/\s/g, "");
  const delta = /^\d{6}$/.test(token)
    ? totpOf(user)?.validate({ token, timestamp: now, window: STEPS_AROUND })
    : null;
  if (delta === null || delta === undefined) return undefined;
  return Math.floor(now / 1000 / STEP_SECONDS) + delta;
}

/** Accepts the code of a step once: the same or an earlier one is rejected afterwards. */
function useStep(user: FactorRow, step: number): boolean {
  const { changes } = prepared(
    `UPDATE users SET totp_last_step = @step
     WHERE id = @id AND (totp_last_step IS NULL OR totp_last_step < @step)`,
  ).run({ id: user.id, step });
  return changes === 1;
}

const CODES = 10;
/**
 * 24 letters and digits of 5 bits each: with 120 bits a plain hash keeps them, also from who has a copy of
 * the database (ASVS 6.5.2 asks for 112).
 */
const CODE_BYTES = 15;
/** Crockford's alphabet: no letter that is taken for a digit. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Upper case, dashes and the letters people confuse are all forgiven. */
function hashOf(code: string): string {
  const plain = code
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replaceAll("o", "0")
    .replace(/[il]/g, "1");
  return createHash("sha256").update(plain).digest("hex");
}

function newCode(): string {
  const bits = BigInt(`0x${randomBytes(CODE_BYTES).toString("hex")}`);
  const letters = Array.from(
    { length: (CODE_BYTES * 8) / 5 },
    (_, index) => ALPHABET[Number((bits >> BigInt(index * 5)) & 31n)],
  ).join("");
  return letters.match(/.{4}/g)!.join("-");
}

/**
 * Replaces all codes of a user by ten new ones, each good for one sign-in, as a part of a transaction. Only
 * hashes are stored.
 */
export function createRecoveryCodes(userId: string): string[] {
  const codes = Array.from({ length: CODES }, newCode);
  runChange(database().deleteFrom("recovery_codes").where("user_id", "=", userId));
  runChange(
    database()
      .insertInto("recovery_codes")
      .values(codes.map((code) => ({ user_id: userId, code_hash: hashOf(code) }))),
  );
  return codes;
}

/** Spends a code. False when it is none of the user's, or used. */
export async function spendRecoveryCode(userId: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await database()
    .deleteFrom("recovery_codes")
    .where("user_id", "=", userId)
    .where("code_hash", "=", hashOf(code))
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
