import { hkdfSync, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { LRUCache } from "lru-cache";
import { processState } from "~db/runtime.server";
import { SECRET_MIN_LENGTH } from "./settings/setting-rules";
import { SettingsError, settings } from "./settings.server";

const SECRET_BYTES = 32;
const KEY_BYTES = 32;

/** The secrets that have been read from files, by path. */
const cached = processState("secrets", () => new Map<string, string[]>());

/**
 * Returns the secrets that sign cookies and encrypt second factors. The first one is used for new values; all of them
 * are used for reading. They come from SESSION_SECRET. If it isn't set, the first start generates a secret and stores
 * it in `session-secret` next to the database, readable only by its owner. To rotate the secret, add a line at the top
 * of that file, or a new value at the beginning of the setting.
 */
export function sessionSecrets(): readonly string[] {
  return settings().sessionSecrets ?? secretsIn(fileBeside("session-secret"));
}

/**
 * Returns the secrets for encrypting the consent records of performers. The first one is used for new records; all of
 * them are used for reading. They come from SESSION_SECRET and from the file `records-secret` next to the database,
 * which is created if neither exists. Unlike `session-secret`, it isn't part of backups, so that nobody can read the
 * records from a backup alone.
 */
export function recordsSecrets(): readonly string[] {
  const file = fileBeside("records-secret");
  const given = settings().sessionSecrets ?? [];
  if (given.length > 0 && !cached().has(file) && !fs.existsSync(file)) return given;
  return [...given, ...secretsIn(file)];
}

function fileBeside(name: string): string {
  return path.join(path.dirname(path.resolve(settings().databasePath)), name);
}

function secretsIn(file: string): readonly string[] {
  const secrets = cached().get(file) ?? readOrCreate(file);
  cached().set(file, secrets);
  return secrets;
}

/**
 * The derived keys. They are cached because deriving a key takes five times as long as verifying a cookie, and every
 * request may verify cookies.
 */
const keys = processState("derived keys", () => new LRUCache<string, Buffer>({ max: 200 }));

/**
 * Derives a key for a particular use of a secret (HKDF, RFC 5869). Anything signed or encrypted for one use is invalid
 * for all other uses.
 */
export function derivedKey(secret: string, use: string): Buffer {
  const name = `${secret}\n${use}`;
  const known = keys().get(name);
  if (known) return known;
  const key = Buffer.from(hkdfSync("sha256", secret, "", use, KEY_BYTES));
  keys().set(name, key);
  return key;
}

function readOrCreate(file: string): string[] {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  try {
    // Writing fails if the file already exists. This ensures that two processes that start at the same time use the
    // same secret.
    fs.writeFileSync(file, `${randomBytes(SECRET_BYTES).toString("base64url")}\n`, {
      mode: 0o600,
      flag: "wx",
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const secrets = fs.readFileSync(file, "utf8").split(/\s+/).filter(Boolean);
  if (secrets.length === 0) {
    throw new SettingsError(`${file} contains no secret. Delete it to create a new one.`);
  }
  if (secrets.some((secret) => secret.length < SECRET_MIN_LENGTH)) {
    throw new SettingsError(
      `${file} contains a secret with fewer than ${SECRET_MIN_LENGTH} characters. Replace it with a longer one (create it with openssl rand -base64 32).`,
    );
  }
  return secrets;
}
