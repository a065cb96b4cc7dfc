import fs from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fillPosterColors } from "~/features/operations/library-check/fill-poster-colors.server";
import { posterColors } from "~/media/images/process-image.server";
import { sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const plain = (background: string | { r: number; g: number; b: number; alpha: number }) =>
  sharp({ create: { width: 64, height: 36, channels: 4, background } });

/** Writes an image and returns its colors. */
function colorsOf(image: Buffer): Promise<string | undefined> {
  const file = path.join(site.folder, "image");
  fs.writeFileSync(file, image);
  return posterColors(file);
}

describe("an image's colors", () => {
  it("are the average colors of the image's quarters", async () => {
    const quarter = (background: string) =>
      plain(background).resize(32, 18).flatten().png().toBuffer();
    const image = await plain("black")
      .composite([
        { input: await quarter("red"), left: 0, top: 0 },
        { input: await quarter("lime"), left: 32, top: 0 },
        { input: await quarter("blue"), left: 0, top: 18 },
        { input: await quarter("white"), left: 32, top: 18 },
      ])
      .png()
      .toBuffer();
    const quarters = (await colorsOf(image))?.match(/.{6}/g);
    const near = [0xff0000, 0x00ff00, 0x0000ff, 0xffffff];
    expect(quarters).toHaveLength(4);
    for (const [index, color] of near.entries()) {
      const found = Number.parseInt(quarters?.[index] ?? "", 16);
      for (const shift of [16, 8, 0]) {
        expect(Math.abs(((found >> shift) & 255) - ((color >> shift) & 255))).toBeLessThan(80);
      }
    }
  });

  it("can also be calculated for grayscale, transparent and rotated images", async () => {
    const grey = await plain("#808080").greyscale().toColourspace("b-w").png().toBuffer();
    expect(await colorsOf(grey)).toBe("808080".repeat(4));
    const clear = await plain({ r: 255, g: 255, b: 255, alpha: 0 }).png().toBuffer();
    expect(await colorsOf(clear)).toBe("000000".repeat(4));
    const upright = await plain("#102030").resize(3, 500, { fit: "fill" }).webp().toBuffer();
    expect(await colorsOf(upright)).toMatch(/^[0-9a-f]{24}$/);
  });

  it("are unknown for files that are missing or aren't images", async () => {
    const file = path.join(site.folder, "text.webp");
    fs.writeFileSync(file, "not an image");
    expect(await posterColors(file)).toBeUndefined();
    expect(await posterColors(path.join(site.folder, "missing.webp"))).toBeUndefined();
  });
});

describe("posters in rows written by another tool", () => {
  it("get colors if their images exist", async () => {
    fs.mkdirSync(path.join(site.uploads, "thumbnails/u"), { recursive: true });
    await plain("#336699").png().toFile(path.join(site.uploads, "thumbnails/u/1.png"));
    const sqlite = sqliteHandle();
    sqlite.exec(`
      INSERT INTO videos (id, title, category, thumbnail_url, poster_colors) VALUES
        ('a', 'A', 'desi', '/media/thumbnails/u/1.png', NULL),
        ('b', 'B', 'desi', '/media/thumbnails/u/2.png', NULL),
        ('c', 'C', 'desi', 'https://elsewhere.example/1.png', NULL),
        ('d', 'D', 'desi', NULL, NULL),
        ('e', 'E', 'desi', '/media/thumbnails/u/1.png', '${"0".repeat(24)}')`);
    expect(await fillPosterColors()).toBe(1);
    expect(sqlite.prepare("SELECT poster_colors FROM videos ORDER BY id").pluck().all()).toEqual([
      "336699".repeat(4),
      null,
      null,
      null,
      "0".repeat(24),
    ]);
    expect(await fillPosterColors()).toBe(0);
  });
});
