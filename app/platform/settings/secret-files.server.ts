import fs from "node:fs";
import { SettingsError } from "./setting-rules";

/** Settings that can also be read from a file, such as a Compose secret, with a variable like `SESSION_SECRET_FILE`. */
export const SECRET_SETTINGS: readonly string[] = [
  "SESSION_SECRET",
  "ADMIN_PASSWORD",
  "SMTP_URL",
  "ALERT_WEBHOOK_SECRET",
  "METRICS_TOKEN",
  "AGE_CHECK_SECRET",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "CDN_SECRET",
];

/**
 * Returns the value of a setting: the variable, or the trimmed content of the file at the path in `{name}_FILE`. An
 * empty variable counts as unset.
 *
 * @throws {SettingsError} if both are set, or the file is empty or can't be read.
 */
export function environmentValue(
  name: string,
  environment: Record<string, string | undefined>,
): string | undefined {
  const value = environment[name] || undefined;
  const file = SECRET_SETTINGS.includes(name) ? environment[`${name}_FILE`] : undefined;
  if (!file) return value;
  if (value)
    throw new SettingsError(`${name} and ${name}_FILE are both set. Set only one of them.`);
  const content = read(name, file).trim();
  if (!content) throw new SettingsError(`${name}_FILE refers to ${file}, which is empty.`);
  return content;
}

function read(name: string, file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`${name}_FILE refers to ${file}, which can't be read (${code}).`);
  }
}
