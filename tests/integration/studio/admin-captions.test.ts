import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { removeFiles } from "~/media/files/removals.server";
import { readCaptions } from "~db/captions";
import { sqliteHandle } from "~db/client.server";
import {
  addVideo,
  catchResponse,
  expectSuccess,
  page,
  sendMultipart,
  useAdminSite,
  video,
  writeUpload,
} from "../../admin-requests";
import { diskPath, filesBelow } from "../../encode-library";
import { measureImpact } from "../../event-loop";

const site = useAdminSite();
beforeEach(() => {
  writeUpload(site.uploads, "videos/u/1.mp4");
  addVideo({ video_url: "/media/videos/u/1.mp4" });
});

const ADDRESS = "/admin?tab=manage&edit=v";
const SUBRIP = "1\n00:00:01,000 --> 00:00:02,000\nGood evening\n";

function form(file: string | Buffer | undefined, more: Record<string, string> = {}) {
  const fields = new FormData();
  const texts = { intent: "update", id: "v", title: "New", captionsLanguage: "de", ...more };
  for (const [name, value] of Object.entries(texts)) fields.set(name, value);
  if (file !== undefined)
    fields.set("captions", new Blob([new Uint8Array(Buffer.from(file))]), "c.srt");
  return fields;
}
const edit = async (file?: string | Buffer, more?: Record<string, string>) =>
  (await catchResponse(() => sendMultipart(form(file, more), ADDRESS))).status;
const captions = () => readCaptions((video()?.captions as string | null) ?? null);
const captionFiles = () => filesBelow(site.uploads).filter((name) => name.includes("captions"));

describe("captions in the edit form", () => {
  it("are stored as WebVTT, labeled with their language, and counted in the video's size", async () => {
    expect(await edit(SUBRIP)).toBe(302);
    const [track] = captions();
    expect(track).toMatchObject({ language: "de", label: "German", added: true });
    expect(track?.url).toMatch(/^\/media\/videos\/u\/1\/added-captions\/de-[0-9a-f]{12}\.vtt$/);
    expect(fs.readFileSync(diskPath(site.uploads, track!.url), "utf8")).toBe(
      "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nGood evening\n",
    );
    expect(video()?.bytes).toBe(fs.statSync(diskPath(site.uploads, track!.url)).size);
    expect(video()?.title).toBe("New");
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
    expect((await page(ADDRESS)).manage?.dialog?.video?.captions).toMatchObject([
      { label: "German" },
    ]);
  });

  it("are rejected if a line is longer than 2,000 characters, and don't block other requests", async () => {
    const begin = "1\n00:00:01,000 --> 00:00:02,000\n";
    const long = begin + "<".repeat(2_000_000);
    const lines = begin + `${"<".repeat(1_999)}\n`.repeat(1_000);
    const measured = await measureImpact(async () => {
      expect(await sendMultipart(form(long), ADDRESS)).toMatchObject({
        init: { status: 422 },
        data: { studio: { edit: { fields: { captions: expect.stringContaining("2,000") } } } },
      });
      expect(await edit(lines)).toBe(302);
    });
    expect(measured.longestBlockMs).toBeLessThan(1_000);
    expect(captions()).toHaveLength(1);
  });

  it("replace only captions in the same language", async () => {
    await edit(SUBRIP);
    await edit(SUBRIP, { captionsLanguage: "fr" });
    await edit(`WEBVTT\n\n00:05.000 --> 00:06.000\nGuten Abend\n`);
    expect(captions().map(({ label }) => label)).toEqual(["French", "German"]);
    await removeFiles();
    expect(captionFiles()).toHaveLength(2);
    const german = captions().find(({ language }) => language === "de")!;
    expect(fs.readFileSync(diskPath(site.uploads, german.url), "utf8")).toContain("Guten Abend");
  });

  it("are removed together with their files, even if no new file is submitted", async () => {
    await edit(SUBRIP);
    await edit(SUBRIP, { captionsLanguage: "fr" });
    const [german, french] = captions();
    expect(await edit(undefined, { [`removeCaptions:${german!.url}`]: "on" })).toBe(302);
    expect(captions()).toEqual([french]);
    await removeFiles();
    expect(captionFiles()).toHaveLength(1);
    await expectSuccess(
      { intent: "update", id: "v", [`removeCaptions:${french!.url}`]: "on" },
      ADDRESS,
    );
    await removeFiles();
    expect(video()).toMatchObject({ captions: "[]", bytes: 0 });
    expect(captionFiles()).toEqual([]);
  });

  it("are removed from the row without removing a file that belongs to another video", async () => {
    const other = writeUpload(site.uploads, "videos/u/2/x.vtt");
    const url = "/media/videos/u/2/x.vtt";
    addVideo({ id: "w" });
    await edit(SUBRIP);
    const list = [...captions(), { url, language: "en", label: "English", added: true }];
    sqliteHandle().prepare("UPDATE videos SET captions = ?").run(JSON.stringify(list));
    await edit(undefined, { [`removeCaptions:${url}`]: "on" });
    expect(captions()).toHaveLength(1);
    expect(fs.existsSync(other)).toBe(true);
  });

  it.each([
    ["not captions", "hello", {}, 422, /contains no captions/],
    ["not text", Buffer.from([0xff, 0x00, 0x81]), {}, 422, /contains no captions/],
    [
      "in an unknown language",
      SUBRIP,
      { captionsLanguage: "xx" },
      422,
      /Choose a caption language/,
    ],
    ["larger than 2 MiB", SUBRIP + "x".repeat(2 * 1024 ** 2), {}, 413, /larger than 2MB/],
  ])(
    "are rejected without changing anything if they are %s, and the form keeps its text",
    async (_, file, more, status, message) => {
      const response = await sendMultipart(form(file, more), ADDRESS);
      expect(response).toMatchObject({
        init: { status },
        data: {
          studio: {
            edit: {
              texts: { title: "New" },
              fields: { captions: expect.stringMatching(message) },
            },
          },
        },
      });
      expect(video()).toMatchObject({ title: "A video", captions: null });
      await removeFiles();
      expect(captionFiles()).toEqual([]);
      expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
    },
  );

  it("are rejected if the video has no file on this site", async () => {
    sqliteHandle().exec("UPDATE videos SET video_url = 'https://example.com/1.mp4'");
    const response = await sendMultipart(form(SUBRIP), ADDRESS);
    expect(response).toMatchObject({ init: { status: 422 } });
  });

  it.each([
    ["the title is blank", { title: " " }, 422],
    ["the row has changed", { version: "old" }, 409],
  ])("don't leave a file behind if %s", async (_, more, status) => {
    expect(await sendMultipart(form(SUBRIP, more), ADDRESS)).toMatchObject({ init: { status } });
    await removeFiles();
    expect(captionFiles()).toEqual([]);
  });
});
