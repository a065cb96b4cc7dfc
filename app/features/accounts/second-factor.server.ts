import { createHash, randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { renderSVG } from "uqr";
import { decrypt, encrypt } from "~/platform/encryption.server";
import { settings } from "~/platform/settings.server";
import { database, prepared, transaction } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";

/** RFC 6238 with the parameters that every authenticator app supports: SHA-1, six digits, 30 seconds. */
const STEP_SECONDS = 30;
const SECRET_BYTES = 20;
/** Codes from the previous and next time step are accepted too, because clocks differ (RFC 6238, section 5.2). */
const STEPS_AROUND = 1;
const PURPOSE = "second factor";

/**
 * Returns when the second factor was turned on (ISO 8601 UTC; undefined if it is off) and how many recovery codes are
 * left.
 */
export async function findSecondFactor(userId: string) {
  const { recoveryCodesLeft } = await database()
    .selectFrom("recovery_codes")
    .select((row) => row.fn.countAll<number>().as("recoveryCodesLeft"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return { enabledAt: factorOf(userId)?.totp_enabled_at ?? undefined, recoveryCodesLeft };
}

/** Creates a new secret for the authenticator app. It takes effect once the user confirms it with a code. */
export async function beginEnrollment(userId: string): Promise<void> {
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  await database()
    .updateTable("users")
    .set({ totp_secret: encrypt(PURPOSE, secret), totp_last_step: null })
    .where("id", "=", userId)
    .where("totp_enabled_at", "is", null)
    .execute();
}

/**
 * Returns the key of an enrollment that hasn't been confirmed with a code yet; undefined if there is none. The key is
 * formatted in groups of four characters for typing, and also returned as a QR code (an SVG in a data URL).
 */
export async function findEnrollment(
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
 * Turns the second factor on if the code is correct. Needs a transaction.
 *
 * @returns the recovery codes, to be shown once; undefined for a wrong code.
 */
export function confirmEnrollment(
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

/** Checks a code. Returns the kind of code, or undefined if it is wrong. */
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

/** Turns the second factor off and deletes its secret and recovery codes. Needs a transaction. */
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

/** Accepts the code for a time step only once. Afterwards, codes for the same or an earlier time step are rejected. */
function useStep(user: FactorRow, step: number): boolean {
  const { changes } = prepared(
    `UPDATE users SET totp_last_step = @step
     WHERE id = @id AND (totp_last_step IS NULL OR totp_last_step < @step)`,
  ).run({ id: user.id, step });
  return changes === 1;
}

const CODES = 10;
/**
 * A recovery code has 24 characters of 5 bits each. With 120 bits, an unsalted hash protects the codes even if the
 * database is copied (ASVS 6.5.2 requires 112).
 */
const CODE_BYTES = 15;
/** Crockford's Base32 alphabet, without letters that look like digits. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Ignores case and dashes, and replaces the letters that people confuse with digits. */
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
  const characters = Array.from(
    { length: (CODE_BYTES * 8) / 5 },
    (_, index) => ALPHABET[Number((bits >> BigInt(index * 5)) & 31n)],
  ).join("");
  return characters.match(/.{4}/g)!.join("-");
}

/**
 * Replaces all of a user's recovery codes with ten new ones, each valid for one sign-in. Only their hashes are stored.
 * Needs a transaction.
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

/** Uses up a recovery code. Returns false if it isn't one of the user's codes or has already been used. */
export async function spendRecoveryCode(userId: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await database()
    .deleteFrom("recovery_codes")
    .where("user_id", "=", userId)
    .where("code_hash", "=", hashOf(code))
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
