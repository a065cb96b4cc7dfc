import fs from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { receiveMultipart } from "~/media/intake/multipart.server";
import {
  addVideo,
  catchResponse,
  sendMultipart,
  useAdminSite,
  video,
  writeUpload,
} from "../../admin-requests";

const site = useAdminSite();
beforeEach(() => {
  writeUpload(site.uploads, "videos/u/1.mp4");
  addVideo({ video_url: "/media/videos/u/1.mp4" });
});
afterEach(() => {
  expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
});

function multipart(entries: [name: string, value: string | Blob][]): FormData {
  const form = new FormData();
  for (const [name, value] of entries) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, "a file");
  }
  return form;
}

async function createImage(): Promise<Blob> {
  const image = sharp({ create: { width: 32, height: 18, channels: 3, background: "teal" } });
  return new Blob([new Uint8Array(await image.png().toBuffer())]);
}

const location = async (entries: [string, string | Blob][], url = "/admin") =>
  (await catchResponse(() => sendMultipart(multipart(entries), url))).headers.get("Location");

describe("a multipart form sent to /admin", () => {
  it("edits a video, whether the intent comes before or after the file", async () => {
    const [intent, id, thumbnail] = [
      ["intent", "update"],
      ["id", "v"],
      ["thumbnail", await createImage()],
    ] as const;
    await location([[...intent], [...id], ["title", "One"], [...thumbnail]]);
    const first = video();
    expect(first).toMatchObject({ title: "One" });
    expect(first?.thumbnail_url).toMatch(/^\/media\/thumbnails\/u\/\d+\.webp$/);
    await location([[...thumbnail], ["title", "Two"], [...id], [...intent]]);
    expect(video()).toMatchObject({ title: "Two", category: "desi" });
    expect(video()?.thumbnail_url).not.toBe(first?.thumbnail_url);
  });

  it("edits a video even if its file input is empty", async () => {
    const none = new File([], "", { type: "application/octet-stream" });
    const form = multipart([
      ["title", "One"],
      ["id", "v"],
      ["intent", "update"],
    ]);
    form.set("thumbnail", none, "");
    await catchResponse(() => sendMultipart(form, "/admin"));
    expect(video()).toMatchObject({ title: "One", thumbnail_url: null });
  });

  it("may contain unknown parts of any size, which are skipped", async () => {
    const part = (disposition: string, text: string) =>
      `--b\r\nContent-Disposition: ${disposition}; name="title"\r\n\r\n${text}\r\n`;
    const body = `${part("form-data", "One")}${part("form-d", "x".repeat(60_000))}--b--\r\n`;
    const request = new Request("http://localhost/admin", {
      ...{ method: "POST", body },
      headers: { "Content-Type": "multipart/form-data; boundary=b" },
    });
    expect((await receiveMultipart(request, {})).fields).toEqual(new Map([["title", "One"]]));
  });

  it("shows, hides and deletes videos", async () => {
    const toggle: [string, string][] = [
      ["id", "v"],
      ["intent", "toggle"],
    ];
    await location(toggle);
    expect(video()?.status).toBe("hidden");
    await location(toggle.reverse());
    expect(video()?.status).toBe("published");
    await location([
      ["id", "v"],
      ["intent", "delete"],
    ]);
    expect(video()).toBeUndefined();
  });

  it("is rejected if it contains an invalid file that isn't part of the edit form", async () => {
    const clip = new Blob(["not a video"]);
    const response = await sendMultipart(
      multipart([
        ["video", clip],
        ["intent", "update"],
        ["id", "v"],
        ["title", "One"],
      ]),
      "/admin",
    );
    expect(response).toMatchObject({ init: { status: 415 } });
    expect(video()?.title).toBe("A video");
  });

  it("is treated as an upload if its intent is missing or unknown", async () => {
    for (const intent of ["publish", "draft", undefined]) {
      const entries: [string, string][] = intent ? [["intent", intent]] : [];
      const response = await sendMultipart(multipart([["id", "v"], ...entries]), "/admin");
      expect(response).toMatchObject({ init: { status: 422 }, data: { upload: {} } });
    }
    const response = await sendMultipart(multipart([["intent", "conquer"]]), "/admin");
    expect(response).toMatchObject({ init: { status: 400 }, data: { upload: {} } });
  });
});
