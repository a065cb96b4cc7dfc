import sharp from "sharp";
import type { SiteProcess } from "./site-process";

const HOUR_MS = 3_600_000;

/** A small poster in a colour of its own. */
async function addPoster(site: SiteProcess, uploadId: number): Promise<string> {
  const colour = { r: (uploadId * 67) % 256, g: (uploadId * 131) % 256, b: (uploadId * 29) % 256 };
  const picture = sharp({ create: { width: 320, height: 180, channels: 3, background: colour } });
  return site.addFile("thumbnails", `u/${uploadId}.webp`, await picture.webp().toBuffer());
}

/**
 * `count` published videos named "Video 1" (the newest) and so on, an hour apart, each with a
 * poster. `row` adds to or overrides what the row of a number holds.
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
