import sharp from "sharp";
import type { SiteProcess } from "./site-process";

const HOUR_MS = 3_600_000;

/** Adds a small poster whose color depends on the upload ID. Returns its URL. */
async function addPoster(site: SiteProcess, uploadId: number): Promise<string> {
  const color = { r: (uploadId * 67) % 256, g: (uploadId * 131) % 256, b: (uploadId * 29) % 256 };
  const image = sharp({ create: { width: 320, height: 180, channels: 3, background: color } });
  return site.addFile("thumbnails", `u/${uploadId}.webp`, await image.webp().toBuffer());
}

/**
 * Adds `count` published videos with posters. The videos are one hour apart, and are named "Video 1" (the newest),
 * "Video 2" and so on.
 * @param row returns the columns to add or override for the video with a given number.
 */
export async function fill(
  site: SiteProcess,
  count: number,
  row: (number: number) => Record<string, string | number | null> = () => ({}),
): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    site.addVideo({
      id: `v${number}`,
      title: `Video ${number}`,
      created_at: new Date(Date.now() - number * HOUR_MS).toISOString(),
      thumbnail_url: await addPoster(site, number),
      ...row(number),
    });
  }
}
