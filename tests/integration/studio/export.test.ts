import fs from "node:fs";
import path from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planExport } from "~/features/upload/import/earlier-system.server";
import { importVideos } from "~/features/upload/import/import.server";
import {
  beginFolderImport,
  folderImportEnds,
  serverFolder,
} from "~/features/upload/import/server-folder.server";
import { parseTable, type TableRow } from "~/features/upload/import/table.server";
import { loader } from "~/features/upload/routes/export";
import { forgetSettings } from "~/platform/settings.server";
import { closeDatabase, sqliteHandle } from "~db/client.server";
import { addVideo, adminCookie, signInAdmin, useAdminSite } from "../../admin-requests";
import { mp4Clip } from "../../clips";
import { addSeries } from "../../series-requests";
import { useTemporarySite } from "../../temporary-site";

const CLIP = fs.readFileSync(mp4Clip(2));
const site = useAdminSite();

async function exported(format: "csv" | "json"): Promise<string> {
  const request = new Request(`http://localhost/admin/import/catalogue.${format}`, {
    headers: { Cookie: adminCookie() },
  });
  const params = { file: `catalogue.${format}` };
  return (await loader({ request, params, context: {} } as never)).text();
}

/** Returns the clip with different bytes at the end, in an MP4 box that players skip. */
function clipWith(mark: string): Buffer {
  const box = Buffer.concat([Buffer.alloc(4), Buffer.from("free"), Buffer.from(mark)]);
  box.writeUInt32BE(box.length);
  return Buffer.concat([CLIP, box]);
}

describe("an export of the catalogue", () => {
  const ODD = [
    { title: 'Quotes " and, commas; and semicolons', description: "Lines\nand\n\nempty ones" },
    { title: "=HYPERLINK(1)", description: "'+é, 日本, مساء, 🎬" },
    { title: "'=HYPERLINK(1)", description: "" },
  ];

  function fill(): void {
    for (const [index, texts] of ODD.entries()) {
      const file = path.join(site.uploads, "videos", "u", `170000000${index}123.mp4`);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, clipWith(String(index)));
      addVideo({
        ...texts,
        id: `video-${index}`,
        category: ["desi", "couples", "premium"][index]!,
        tags: index === 2 ? null : JSON.stringify(["one take", "a “b”", "night"]),
        status: ["published", "hidden", "review"][index]!,
        views: index * 7,
        duration: "0:02",
        video_url: `/media/videos/u/${path.basename(file)}`,
        created_at: `2026-01-0${index + 1}T12:00:00.000Z`,
        updated_at: `2026-02-0${index + 1}T12:00:00.000Z`,
      });
    }
    addSeries({ title: "Nights, “one”" }, ["video-2", "gone", "video-0"]);
    addSeries({ title: "Days", slug: "days" }, ["video-0"]);
  }

  it.each(["csv", "json"] as const)(
    "as %s can be imported unchanged into another site",
    async (format) => {
      fill();
      const before = await exported(format);
      const folder = fs.mkdtempSync(path.join(site.folder, "export-"));
      const table = path.join(folder, `catalogue.${format}`);
      fs.writeFileSync(table, before);
      fs.cpSync(path.join(site.uploads, "videos"), path.join(folder, "videos"), {
        recursive: true,
      });

      closeDatabase();
      const other = useTemporarySite();
      try {
        await signInAdmin();
        const plan = await planExport(table, folder, {});
        expect(plan.failures).toEqual([]);
        const summary = await importVideos(plan, { userId: "u", mode: "copy" });
        expect(summary).toMatchObject({ imported: 3, failures: [] });
        expect(await exported(format)).toBe(before);
        expect(before).toContain("Nights, “one”");
        const series = sqliteHandle().prepare("SELECT title, slug, visibility FROM series");
        expect(series.all()).toEqual(
          expect.arrayContaining([
            { title: "Nights, “one”", slug: "nights-one", visibility: "studio" },
            { title: "Days", slug: "days", visibility: "studio" },
          ]),
        );
      } finally {
        await other.remove();
      }
    },
  );

  it("as CSV doesn't have a cell that starts a formula, and contains the same text as the JSON export", async () => {
    const text = fc
      .array(fc.constantFrom(..."'=+-@＝＋－＠ \t\r\n\",;a"), { minLength: 1, maxLength: 6 })
      .map((characters) => characters.join(""));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text, text), { minLength: 20 }), async (videos) => {
        sqliteHandle().exec("DELETE FROM videos");
        for (const [index, [title, description, category]] of videos.entries()) {
          addVideo({ id: `-${index}`, title, description, category, tags: '["=a"]' });
        }
        const csv = await exported("csv");
        for (const cell of (parse(csv) as string[][]).flat()) {
          expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠]|^[\t\r\n]/);
        }
        const columns = (rows: TableRow[]) =>
          rows.map(({ id, title, description, category }) => [id, title, description, category]);
        const fromJson = await parseTable(await exported("json"), true);
        expect(columns(await parseTable(csv, false))).toEqual(columns(fromJson));
      }),
      { numRuns: 20 },
    );
  });

  it("reads the catalogue in batches, and each row only once", async () => {
    sqliteHandle().exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
       INSERT INTO videos (id, title, category) SELECT 'n' || i, 'Video ' || i, 'desi' FROM n`,
    );
    const rows = JSON.parse(await exported("json")) as { id: string }[];
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1_001);
    expect((await exported("csv")).trimEnd().split("\r\n")).toHaveLength(1_002);
  });

  it("is an empty table if the catalogue is empty, while any other file name returns 404", async () => {
    expect(JSON.parse(await exported("json"))).toEqual([]);
    expect(await exported("csv")).toMatch(/^id,title,.*\r\n$/);
    const request = new Request("http://localhost/x", { headers: { Cookie: adminCookie() } });
    const params = { file: "constructor" };
    await expect(loader({ request, params, context: {} } as never)).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe("importing from a folder on the server", () => {
  let folder: string;
  beforeEach(() => {
    folder = path.join(site.folder, "to-import");
    fs.mkdirSync(folder);
    process.env.IMPORT_DIR = folder;
    forgetSettings();
  });
  afterEach(folderImportEnds);
  const begin = (wanted: { category?: string; table?: string } = {}) =>
    beginFolderImport({ userId: "u", status: "review", mode: "copy", ...wanted });

  it("imports the files in the entered table, and reports which ones were skipped", async () => {
    fs.writeFileSync(path.join(folder, "a.mp4"), clipWith("a"));
    fs.writeFileSync(path.join(folder, "b.mp4"), clipWith("b"));
    await begin({ table: "file,title,category\na.mp4,A video,desi\ngone.mp4,Gone,desi\n" });
    expect(serverFolder()?.running).toMatchObject({ total: 1 });
    await expect(begin()).rejects.toThrow("The folder is already being imported.");
    await folderImportEnds();
    expect(sqliteHandle().prepare("SELECT title, category, status FROM videos").all()).toEqual([
      { title: "A video", category: "desi", status: "review" },
    ]);
    const { last } = serverFolder()!;
    expect(last?.message).toMatch(/^1 imported .* 0 already imported, 0 duplicates, 2 failed\.$/);
    expect(last?.failures.map(({ name }) => name).sort()).toEqual(["b.mp4", "gone.mp4"]);
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it.each([
    [{}, "The folder contains no videos."],
    [{ table: "title\nA\n" }, 'The table: every row needs a value in the column "file".'],
    [{ table: "{" }, /^Couldn't parse the table/],
  ])("explains why nothing was imported: %j", async (wanted, message) => {
    await expect(begin(wanted)).rejects.toThrow(message);
    expect(serverFolder()?.running).toBeUndefined();
  });

  it("rejects the uploads folder", async () => {
    process.env.IMPORT_DIR = site.uploads;
    forgetSettings();
    await expect(begin()).rejects.toThrow("must not overlap with the uploads");
  });
});
