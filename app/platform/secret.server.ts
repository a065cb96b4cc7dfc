import { hkdfSync, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { LRUCache } from "lru-cache";
import { processState } from "~db/runtime.server";
import { SECRET_MIN_LENGTH } from "./settings/setting-rules";
import { SettingsError, settings } from "./settings.server";

const SECRET_BYTES = 32;
const KEY_BYTES = 32;

/** By the path of their file. */
const kept = processState("secrets", () => new Map<string, string[]>());

/**
 * The secrets that sign cookies and encrypt second factors: the first is used for what is new, all
 * for what is read. SESSION_SECRET gives them; without it a secret is made on first start and kept
 * in the file `session-secret` beside the database, readable by its owner only. A line put on top
 * of that file rotates it, as a value in front of a comma rotates the setting.
 */
export function sessionSecrets(): readonly string[] {
  return settings().sessionSecrets ?? secretsIn(fileBeside("session-secret"));
}

/**
 * The secrets that encrypt the records of performers, the first what is new, all what is read:
 * SESSION_SECRET, where it is set, and the file `records-secret` beside the database, where there is one;
 * without either that file is made. Unlike `session-secret` it is in no backup: whoever has a backup
 * alone reads no record.
 */
export function recordsSecrets(): readonly string[] {
  const file = fileBeside("records-secret");
  const given = settings().sessionSecrets ?? [];
  if (given.length > 0 && !kept().has(file) && !fs.existsSync(file)) return given;
  return [...given, ...secretsIn(file)];
}

function fileBeside(name: string): string {
  return path.join(path.dirname(path.resolve(settings().databasePath)), name);
}

function secretsIn(file: string): readonly string[] {
  const secrets = kept().get(file) ?? readOrCreate(file);
  kept().set(file, secrets);
  return secrets;
}

/** Deriving a key takes five times as long as verifying a cookie with it, which every request may need. */
const keys = processState("derived keys", () => new LRUCache<string, Buffer>({ max: 200 }));

/** Returns the key for one use of a secret (HKDF, RFC 5869). A value signed or encrypted for one use is useless for others. */
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
    // Fails when the file is there, so that two processes starting at once end with one secret.
    fs.writeFileSync(file, `${randomBytes(SECRET_BYTES).toString("base64url")}\n`, {
      mode: 0o600,
      flag: "wx",
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const secrets = fs.readFileSync(file, "utf8").split(/\s+/).filter(Boolean);
  if (secrets.length === 0) {
    throw new SettingsError(`${file} holds no secret. Remove it, and a new one is made.`);
  }
  if (secrets.some((secret) => secret.length < SECRET_MIN_LENGTH)) {
    throw new SettingsError(
      `${file} holds a secret of less than ${SECRET_MIN_LENGTH} characters; put a longer one in its place (openssl rand -base64 32 makes one).`,
    );
  }
  return secrets;
}
