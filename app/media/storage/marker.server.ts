import fs from "node:fs";
import path from "node:path";
import { SettingsError, settings } from "~/server/settings.server";

/**
 * Stands beside the buckets from before the first file is moved: without the store that it names, films
 * could not be played. "back" while they are being moved back, when nothing moves the other way.
 */
const marker = () => path.join(settings().uploadsDir, ".storage");

interface Marker {
  url: string;
  direction: "there" | "back";
}

export function readMarker(): Marker | undefined {
  try {
    return JSON.parse(fs.readFileSync(marker(), "utf8")) as Marker;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SettingsError(`${marker()} can't be read: ${(error as Error).message}`);
  }
}

export function writeMarker(content: Marker): void {
  const partial = `${marker()}.partial`;
  fs.writeFileSync(partial, `${JSON.stringify(content)}\n`);
  fs.renameSync(partial, marker());
}

export function removeMarker(): void {
  fs.rmSync(marker(), { force: true });
}

/**
 * That the store which has files of this site is the one that is set.
 *
 * @throws {SettingsError}
 */
export function requireKnownStore(): void {
  const known = readMarker();
  const url = settings().storage?.url;
  if (!known || known.url === url) return;
  throw new SettingsError(
    url
      ? `STORAGE_URL must be ${known.url}, where files of this site are; npm run move-storage -- --to disk brings them back first.`
      : `STORAGE_URL must be set to ${known.url}, where files of this site are; npm run move-storage -- --to disk brings them back.`,
  );
}
