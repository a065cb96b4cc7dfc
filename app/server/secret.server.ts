import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { SECRET_MIN_LENGTH } from "./setting-rules";
import { SettingsError, settings } from "./settings.server";

const SECRET_BYTES = 32;

let kept: { file: string; secrets: string[] } | undefined;

/**
 * The secrets that sign cookies and encrypt second factors: the first is used for what is new, all
 * for what is read. SESSION_SECRET gives them; without it a secret is made on first start and kept
 * in the file `session-secret` beside the database, readable by its owner only. A line put on top
 * of that file rotates it, as a value in front of a comma rotates the setting.
 */
export function sessionSecrets(): readonly string[] {
  const { sessionSecrets: given, databasePath } = settings();
  if (given) return given;
  const file = path.join(path.dirname(path.resolve(databasePath)), "session-secret");
  if (kept?.file !== file) kept = { file, secrets: readOrMake(file) };
  return kept.secrets;
}

/** The newest secret, which signs and encrypts. */
export function newestSecret(): string {
  return sessionSecrets()[0]!;
}

function readOrMake(file: string): string[] {
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
