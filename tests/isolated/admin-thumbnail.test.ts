import fs from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { withFrame } from "~/features/library/edit/frames.server";
import type { FormFailure } from "~/features/library/managed-video";
import { removeFiles } from "~/media/files/removals.server";
import { ffmpegAvailable, InterruptedError } from "~/media/probe/ffmpeg.server";
import { cachedProbe } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
import {
  addVideo,
  catchResponse,
  page,
  sendMultipart,
  useAdminSite,
  video,
  writeUpload,
} from "../admin-requests";
import { mp4Clip } from "../clips";

vi.mock("~/media/probe/probe.server", async (original) => {
  const module = await original<typeof import("~/media/probe/probe.server")>();
  return { ...module, cachedProbe: vi.fn(module.cachedProbe) };
});

const site = useAdminSite();
beforeEach(() => {
  addVideo({ thumbnail_url: "/media/thumbnails/u/1.jpg", description: "Words" });
});

function form(thumbnail: Buffer | undefined, more: Record<string, string> = {}) {
  const fields = new FormData();
  for (const [name, value] of Object.entries({
    intent: "update",
    id: "v",
    title: "New",
    ...more,
  })) {
    fields.set(name, value);
  }
  if (thumbnail) fields.set("thumbnail", new Blob([new Uint8Array(thumbnail)]), "image.png");
  return fields;
}
const image = () =>
  sharp({ create: { width: 32, height: 18, channels: 3, background: "teal" } })
    .png()
    .toBuffer();
const ADDRESS = "/admin?tab=manage&edit=v";
const thumbnails = () =>
  fs.readdirSync(path.join(site.uploads, "thumbnails"), { recursive: true }).sort();

describe("the thumbnail in the edit form", () => {
  it("replaces the previous thumbnail, whose file is removed", async () => {
    const old = writeUpload(site.uploads, "thumbnails/u/1.jpg");
    const response = await catchResponse(async () => sendMultipart(form(await image()), ADDRESS));
    expect(response.status).toBe(302);
    const url = String(video()?.thumbnail_url);
    expect(url).toMatch(/^\/media\/thumbnails\/u\/\d+\.webp$/);
    expect(fs.existsSync(path.join(site.uploads, url.replace("/media/", "")))).toBe(true);
    await removeFiles();
    expect(fs.existsSync(old)).toBe(false);
    expect(video()?.title).toBe("New");
    expect(Number(video()?.bytes)).toBeGreaterThan(0);
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("sets the thumbnail's colors, which are cleared when another client sets a thumbnail", async () => {
    await catchResponse(async () => sendMultipart(form(await image()), ADDRESS));
    expect(video()?.poster_colors).toMatch(/^(00[78].[78].){4}$/);
    sqliteHandle().exec("UPDATE videos SET thumbnail_url = '/media/thumbnails/u/2.webp'");
    expect(video()?.poster_colors).toBeNull();
  });

  it("is optional", async () => {
    await catchResponse(() => sendMultipart(form(undefined), ADDRESS));
    expect(video()).toMatchObject({ title: "New", thumbnail_url: "/media/thumbnails/u/1.jpg" });
  });

  it("is rejected with 415 if it isn't an image; the text fields are kept and nothing is changed", async () => {
    const response = await sendMultipart(form(Buffer.from("not an image")), ADDRESS);
    expect(response).toMatchObject({
      init: { status: 415 },
      data: {
        studio: {
          toast: { description: "Failed to update video." },
          edit: { texts: { title: "New", description: "Words" } },
        },
      },
    });
    expect(video()?.title).toBe("A video");
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it.each([
    ["the title is blank", { title: " " }, 422],
    ["the row has changed", { version: "old" }, 409],
  ])("leaves no file behind if %s", async (_, more, status) => {
    const response = await sendMultipart(form(await image(), more), ADDRESS);
    expect(response).toMatchObject({ init: { status } });
    await removeFiles();
    expect(thumbnails().filter((name) => String(name).endsWith(".webp"))).toEqual([]);
    expect((await page(ADDRESS)).manage?.dialog?.video?.title).toBe("A video");
  });
});

describe("the storyboard tiles", () => {
  const VTT = `WEBVTT

00:00:00.000 --> 00:00:02.000
1.webp#xywh=0,0,160,90

00:00:02.000 --> 00:00:05.000
1.webp#xywh=160,0,160,90

00:00:05.000 --> 00:00:06.000
//elsewhere.example/media/thumbnails/u/2.webp#xywh=0,0,160,90

00:00:06.000 --> 00:00:07.000
/sign-out#xywh=0,0,160,90
`;
  const frames = async () => (await page(ADDRESS)).manage?.frames;

  it("are offered in the dialog, unless they come from another site", async () => {
    sqliteHandle().exec(
      "UPDATE videos SET storyboard_url = '/media/thumbnails/u/1/storyboard-a/storyboard.vtt'",
    );
    expect(await frames()).toEqual([]);
    const file = writeUpload(site.uploads, "thumbnails/u/1/storyboard-a/storyboard.vtt");
    fs.writeFileSync(file, VTT);
    const sheet = "/media/thumbnails/u/1/storyboard-a/1.webp";
    const own = [
      { start: 0, end: 2, sheet, x: 0, y: 0, width: 160, height: 90 },
      { start: 2, end: 5, sheet, x: 160, y: 0, width: 160, height: 90 },
    ];
    expect(await frames()).toEqual(own);
    fs.writeFileSync(file, VTT.repeat(5_000));
    expect(await frames()).toHaveLength(200);
    fs.writeFileSync(file, VTT.replace("//elsewhere.example", "http://["));
    expect(await frames()).toEqual(own);
    sqliteHandle().exec("UPDATE videos SET storyboard_url = '/media/videos/../../../etc/passwd'");
    expect(await frames()).toEqual([]);
  });

  it("are missing if there is no storyboard, and are never fetched from another site", async () => {
    expect(await frames()).toEqual([]);
    expect((await page("/admin?tab=manage")).manage?.frames).toBeUndefined();
  });
});

describe.runIf(ffmpegAvailable())("a frame at a position", () => {
  beforeEach(() => {
    fs.mkdirSync(path.join(site.uploads, "videos/u"), { recursive: true });
    fs.copyFileSync(mp4Clip(5), path.join(site.uploads, "videos/u/1.mp4"));
    sqliteHandle().exec("UPDATE videos SET video_url = '/media/videos/u/1.mp4'");
  });

  it("becomes the thumbnail and is marked as chosen by a person", async () => {
    const old = writeUpload(site.uploads, "thumbnails/u/1.jpg");
    const response = await catchResponse(() =>
      sendMultipart(form(undefined, { frame: " 0:02.5 " }), ADDRESS),
    );
    expect(response.status).toBe(302);
    const { thumbnail_url: url, poster_colors, generated_poster_url } = video()!;
    const file = path.join(site.uploads, String(url).replace("/media/", ""));
    expect(await sharp(file).metadata()).toMatchObject({ format: "webp", width: 320, height: 180 });
    expect([poster_colors, generated_poster_url]).toEqual([expect.stringMatching(/^.{24}$/), null]);
    await removeFiles();
    expect(fs.existsSync(old)).toBe(false);
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("is taken at the position of the chosen storyboard tile unless a position is entered", async () => {
    const messages: string[] = [];
    const positions: unknown[] = [];
    for (const fields of [
      { frame: " ", pickedFrame: "9:00" },
      { frame: "soon", pickedFrame: "0:01" },
    ]) {
      const response = await sendMultipart(form(undefined, fields), ADDRESS);
      const { data } = response as unknown as { data: { studio: FormFailure } };
      messages.push(String(data.studio.edit?.fields.frame));
      positions.push(data.studio.edit?.frame);
    }
    expect(messages).toEqual([
      "This position is after the end of the video.",
      "Enter a position in the video, such as 1:30.",
    ]);
    // The position of a chosen tile doesn't count as entered, so it doesn't take precedence over the next choice.
    expect(positions).toEqual([undefined, "soon"]);
    const response = await catchResponse(() =>
      sendMultipart(form(undefined, { frame: "", pickedFrame: "0:01" }), ADDRESS),
    );
    expect(response.status).toBe(302);
    expect(video()?.thumbnail_url).toMatch(/\.webp$/);
  });

  it("is rejected if the video can't be read, whether permanently or temporarily", async () => {
    const source = path.join(site.uploads, "videos/u/1.mp4");
    const refusal = async () => {
      const response = await sendMultipart(form(undefined, { frame: "0:01" }), ADDRESS);
      const { init, data } = response as unknown as {
        init: ResponseInit;
        data: { studio: FormFailure };
      };
      return [init.status, data.studio.edit?.fields.frame];
    };
    vi.mocked(cachedProbe).mockRejectedValueOnce(new InterruptedError("ffprobe was killed."));
    const justNow = "The video can’t be read right now. Try again in a few seconds.";
    expect(await refusal()).toEqual([503, justNow]);
    const forGood = [422, "This video’s file can’t be read. Upload an image instead."];
    fs.writeFileSync(source, "no video");
    expect(await refusal()).toEqual(forGood);
    fs.rmSync(source);
    expect(await refusal()).toEqual(forGood);
  });

  it("propagates errors from the callback that uses it", async () => {
    const error = Object.assign(new Error("The folder of images is missing."), { code: "ENOENT" });
    const work = () => Promise.reject(error);
    await expect(withFrame("v", "0:01", "u", work)).rejects.toBe(error);
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("is rejected with 422 if it doesn't exist; the form is kept and nothing is changed", async () => {
    for (const [frame, message] of [
      ["soon", "Enter a position in the video, such as 1:30."],
      ["9:00", "This position is after the end of the video."],
    ] as const) {
      const response = await sendMultipart(form(undefined, { frame }), ADDRESS);
      expect(response).toMatchObject({
        init: { status: 422 },
        data: { studio: { edit: { fields: { frame: message }, frame } } },
      });
    }
    expect(video()).toMatchObject({ title: "A video", thumbnail_url: "/media/thumbnails/u/1.jpg" });
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });
});
