import { createHash, randomBytes } from "node:crypto";
import { database } from "~db/client.server";
import { runChange } from "~db/run-query.server";

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
export function makeRecoveryCodes(userId: string): string[] {
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

/** How many codes a user has left. */
export async function countRecoveryCodes(userId: string): Promise<number> {
  const { left } = await database()
    .selectFrom("recovery_codes")
    .select((row) => row.fn.countAll<number>().as("left"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return left;
}
