import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { successMessage } from "~/features/upload/upload-fields";
import { sqliteHandle } from "~db/client.server";
import { mp4Clip, webmClip } from "../../clips";
import { useTemporarySite } from "../../temporary-site";
import { fileBlob, filesIn, GOOD_TEXTS, multipart, uploadRequest } from "../../upload-requests";
import { withoutMetadata } from "../../without-metadata";

const USER = "u1";
const { intent: _, ...texts } = GOOD_TEXTS;
let site: ReturnType<typeof useTemporarySite>;
let clip: Blob;
beforeEach(() => {
  site = useTemporarySite({ MAX_VIDEO_BYTES: "2000000", MAX_THUMBNAIL_BYTES: "300000" });
  clip = fileBlob(mp4Clip(2));
  run("INSERT INTO users (id, email, password_hash) VALUES (?, 'a@b.c', 'x')", USER);
});
afterEach(() => site.remove());

const run = (sql: string, ...values: unknown[]) =>
  sqliteHandle()
    .prepare(sql)
    .run(...values);
const rows = () => sqliteHandle().prepare("SELECT * FROM videos").all() as Record<string, string>[];
const onDisk = (url: string) => path.join(site.uploads, url.replace("/media/", ""));

async function rejected(request: Request) {
  const outcome = await receiveUpload(request, USER);
  expect(rows()).toEqual([]);
  expect(filesIn(site.uploads)).toEqual([]);
  if (outcome.ok) throw new Error("The upload was accepted.");
  return outcome;
}

async function accepted(request: Request) {
  const outcome = await receiveUpload(request, USER);
  if (!outcome.ok) throw new Error(`${outcome.status} ${outcome.failure.message}`);
  return sqliteHandle()
    .prepare("SELECT * FROM videos WHERE id = ?")
    .get(outcome.video.id) as Record<string, string>;
}

describe("a valid upload", () => {
  it("becomes a published row and a file with the same media data, but without metadata", async () => {
    const row = await accepted(uploadRequest(clip));
    expect(row).toMatchObject({
      title: "A walk at night",
      description: "Along the river.",
      category: "desi",
      tags: '["night","river"]',
      duration: "0:02",
      status: "published",
      uploaded_by: USER,
      thumbnail_url: null,
      video_url: expect.stringMatching(/^\/media\/videos\/u1\/\d{13}\.mp4$/),
    });
    const stored = fs.readFileSync(onDisk(row.video_url!));
    expect(stored.equals(withoutMetadata(fs.readFileSync(mp4Clip(2))))).toBe(true);
    expect(filesIn(site.uploads)).toHaveLength(1);
    expect(fs.readdirSync(path.join(site.uploads, "videos", USER))).toHaveLength(1);
  });

  it("becomes a row with the status `review` if the form's intent is `draft`", async () => {
    expect((await accepted(uploadRequest(clip, { intent: "draft" }))).status).toBe("review");
  });

  it("is a draft until its scheduled time, whichever button was pressed", async () => {
    const publishAt = new Date(Date.now() + 3_600_000).toISOString();
    const unpublishAt = new Date(Date.now() + 7_200_000).toISOString();
    for (const intent of ["publish", "draft"]) {
      const row = await accepted(uploadRequest(clip, { intent, publishAt, unpublishAt }));
      expect(row).toMatchObject({
        status: "review",
        publish_at: publishAt,
        unpublish_at: unpublishAt,
      });
    }
    const row = await accepted(uploadRequest(clip, { unpublishAt }));
    expect(row).toMatchObject({ status: "published", publish_at: null, unpublish_at: unpublishAt });
    const logged = sqliteHandle().prepare("SELECT action FROM activities ORDER BY id").pluck();
    expect(logged.all()).toEqual([
      ...["draft", "schedule", "draft", "schedule"],
      ...["publish", "schedule"],
    ]);
  });

  it("reports that it will be published later", async () => {
    const publishAt = new Date(Date.now() + 3_600_000).toISOString();
    const outcome = await receiveUpload(uploadRequest(clip, { publishAt }), USER);
    expect(outcome).toMatchObject({ ok: true, video: { status: "review", publishAt } });
    expect(outcome.ok && successMessage(outcome.video)).toBe(
      "Video uploaded. It will be published at the scheduled time.",
    );
  });

  it("is rejected if its scheduled time is invalid or in the past, and keeps all text fields", async () => {
    const outcome = await rejected(
      uploadRequest(clip, { publishAt: "2020-01-01T10:00", unpublishAt: "soon" }),
    );
    expect(outcome).toMatchObject({
      status: 422,
      failure: {
        message: "That time is in the past. Choose a later one.",
        texts: { ...texts, publishAt: "2020-01-01T10:00", unpublishAt: "soon" },
        fields: { publishAt: expect.any(String), unpublishAt: expect.any(String) },
      },
    });
  });

  it("can have its fields in any order, including files before text fields", async () => {
    const row = await accepted(
      multipart([["video", clip, "a.mp4"], ...Object.entries(GOOD_TEXTS).reverse()] as never),
    );
    expect(row.title).toBe(GOOD_TEXTS.title);
  });

  it("gets the extension that matches its content, regardless of its name and type", async () => {
    const request = multipart([
      ...(Object.entries(GOOD_TEXTS) as [string, string][]),
      ["video", fileBlob(webmClip(2), "video/mp4"), "movie.mp4"],
    ]);
    expect((await accepted(request)).source_url).toMatch(/\.webm$/);
  });

  it("gets the duration measured by the server instead of the entered duration", async () => {
    expect((await accepted(uploadRequest(clip, { duration: "1:15:30" }))).duration).toBe("0:02");
  });

  it("is stored with null as its tags if it doesn't have any", async () => {
    expect((await accepted(uploadRequest(clip, { tags: " , ,, " }))).tags).toBeNull();
  });

  it("never collides with another upload in the same millisecond", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () =>
        receiveUpload(uploadRequest(clip, { duplicate: "keep" }), USER),
      ),
    );
    expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
    const urls = rows().map((row) => row.video_url);
    expect(new Set(urls).size).toBe(12);
    expect(filesIn(site.uploads)).toHaveLength(12);
  });

  it.each([
    ["a path", "../../../etc/passwd"],
    ["a Windows path", "C:\\videos\\..\\x.mp4"],
    ["control characters", "a\u0007b\u001b[31m.mp4"],
    ["10,000 characters", `${"x".repeat(10_000)}.mp4`],
  ])("is accepted with %s as its file name, but stored under another name", async (_, name) => {
    const request = multipart([
      ...(Object.entries(GOOD_TEXTS) as [string, string][]),
      ["video", clip, name],
    ]);
    expect((await accepted(request)).video_url).toMatch(/^\/media\/videos\/u1\/\d+\.mp4$/);
    expect(filesIn(site.uploads)).toHaveLength(1);
  });
});

describe("a thumbnail", () => {
  it("becomes an upright WebP image of at most 1280 pixels without EXIF metadata", async () => {
    const image = await sharp({
      create: { width: 1000, height: 2000, channels: 3, background: "#336699" },
    })
      .jpeg()
      .withExif({ IFD0: { Copyright: "whose" }, IFD3: { GPSLatitude: "51/1 30/1 0/1" } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const row = await accepted(uploadRequest(clip, {}, new Blob([image])));
    expect(row.thumbnail_url).toBe(
      row.video_url!.replace("videos", "thumbnails").replace("mp4", "webp"),
    );
    expect(row.poster_colors).toMatch(/^(3[2-4]6[5-7]9[8-a]){4}$/);
    const made = await sharp(onDisk(row.thumbnail_url!)).metadata();
    expect(made).toMatchObject({ format: "webp", width: 1280, height: 640 });
    expect(made.exif).toBeUndefined();
  });

  it("is not enlarged", async () => {
    const image = await sharp({
      create: { width: 64, height: 36, channels: 3, background: "#336699" },
    })
      .gif()
      .toBuffer();
    const row = await accepted(uploadRequest(clip, {}, new Blob([image])));
    expect(await sharp(onDisk(row.thumbnail_url!)).metadata()).toMatchObject({ width: 64 });
  });

  it.each([
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    [
      "an SVG with a declaration",
      Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
    ],
    ["a text file", Buffer.from("hello")],
    [
      "a broken PNG",
      Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), Buffer.alloc(500)]),
    ],
  ])("is rejected with 415 if it is %s", async (_, bytes) => {
    const { status, failure } = await rejected(uploadRequest(clip, {}, new Blob([bytes])));
    expect(status).toBe(415);
    expect(failure.fields.thumbnail).toBe(failure.message);
    expect(failure.texts.title).toBe(GOOD_TEXTS.title);
  });

  it("is rejected with 413 if it is too large", async () => {
    const noise = Buffer.concat([
      Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
      Buffer.alloc(300_001, 7),
    ]);
    const { status, failure } = await rejected(uploadRequest(clip, {}, new Blob([noise])));
    expect([status, failure.message]).toEqual([413, "The thumbnail is larger than 293KB."]);
  });
});

describe("an invalid upload is rejected with the reason, keeps its text fields and leaves no files behind", () => {
  it.each(["title", "description", "category"])("without %s (422)", async (field) => {
    const { status, failure } = await rejected(uploadRequest(clip, { [field]: "  " }));
    expect([status, failure.message]).toEqual([422, "Please fill in all required fields."]);
    expect(Object.keys(failure.fields)).toEqual([field]);
    expect(failure.texts.tags).toBe("night, river");
  });

  it("without a video (422)", async () => {
    for (const video of [undefined, new Blob([])]) {
      const request = video
        ? multipart([...(Object.entries(GOOD_TEXTS) as [string, string][]), ["video", video, ""]])
        : uploadRequest(undefined);
      const { status, failure } = await rejected(request);
      expect([status, failure.message]).toEqual([422, "Please fill in all required fields."]);
      expect(failure.texts.title).toBe(GOOD_TEXTS.title);
    }
  });

  it.each([
    ["a category that does not exist", { category: "trending" }, 422],
    ["a legacy category", { category: "amateur" }, 422],
    ["a title of 201 characters", { title: "x".repeat(201) }, 422],
    ["51 tags", { tags: Array.from({ length: 51 }, (_, index) => `t${index}`).join() }, 422],
    ["a very long description", { description: "x".repeat(70_000) }, 413],
    ["an unknown intent", { intent: "explode" }, 400],
  ])("with %s", async (_, texts, status) => {
    expect((await rejected(uploadRequest(clip, texts))).status).toBe(status);
  });

  it.each([
    ["a text file", Buffer.from("not a video at all")],
    ["an image", Buffer.from("89504e470d0a1a0a0000000d4948445200000001", "hex")],
    ["an empty file", Buffer.alloc(0)],
    [
      "an executable named .mp4",
      Buffer.concat([Buffer.from("7f454c46", "hex"), Buffer.alloc(9_000)]),
    ],
  ])("with %s as the video (415)", async (_, bytes) => {
    const { status, failure } = await rejected(uploadRequest(new Blob([bytes])));
    expect(status).toBe(415);
    expect(failure.fields.video).toBe(failure.message);
    expect(failure.texts).toMatchObject({ title: GOOD_TEXTS.title, tags: GOOD_TEXTS.tags });
  });

  it("with only audio", async () => {
    const file = path.join(site.folder, "sound.mp4");
    execFileSync("ffmpeg", [
      "-v",
      "error",
      "-f",
      "lavfi",
      "-i",
      "sine=duration=1",
      "-brand",
      "isom",
      file,
    ]);
    expect([415, 422]).toContain((await rejected(uploadRequest(fileBlob(file)))).status);
  });

  it("with a file that only begins like a video (422)", async () => {
    const head = fs.readFileSync(mp4Clip(2)).subarray(0, 64);
    const bytes = Buffer.concat([head, Buffer.alloc(20_000, 1)]);
    expect((await rejected(uploadRequest(new Blob([bytes])))).status).toBe(422);
  });

  it("with text fields after a rejected file, which are also kept", async () => {
    const request = multipart([
      ["video", new Blob(["no video"]), "a.mp4"],
      ...(Object.entries(GOOD_TEXTS) as [string, string][]),
    ]);
    const { status, failure } = await rejected(request);
    expect([status, failure.texts.title]).toEqual([415, GOOD_TEXTS.title]);
  });

  it("with a video larger than the limit (413)", async () => {
    const bytes = Buffer.concat([fs.readFileSync(mp4Clip(2)), Buffer.alloc(2_000_001)]);
    const { status, failure } = await rejected(uploadRequest(new Blob([bytes])));
    expect([status, failure.message]).toEqual([413, "The video is larger than 1.9MB."]);
    expect(failure.texts.title).toBe(GOOD_TEXTS.title);
  });

  it("with an impossible Content-Length (413, before anything is read)", async () => {
    const { status } = await rejected(
      multipart([["video", clip, "a.mp4"]], { "Content-Length": "99000000000" }),
    );
    expect(status).toBe(413);
  });

  it("with two files in one field (422)", async () => {
    const request = multipart([
      ...(Object.entries(GOOD_TEXTS) as [string, string][]),
      ["video", clip, "a.mp4"],
      ["video", clip, "b.mp4"],
    ]);
    const { status, failure } = await rejected(request);
    expect([status, failure.message]).toEqual([422, "Choose only one video file."]);
  });

  it("with too many fields or files (413)", async () => {
    const many = Array.from({ length: 200 }, (_, index) => [`f${index}`, "x"] as [string, string]);
    expect((await rejected(multipart(many))).status).toBe(413);
  });

  it("with a truncated body (400)", async () => {
    const whole = Buffer.from(await uploadRequest(clip).arrayBuffer());
    const boundary = whole.subarray(2, whole.indexOf("\r\n")).toString();
    for (const share of [0.02, 0.5, 0.999]) {
      const request = new Request("http://localhost/admin", {
        method: "POST",
        headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
        body: whole.subarray(0, Math.floor(whole.length * share)),
      });
      const { status, failure } = await rejected(request);
      expect([status, failure.message]).toEqual([400, "The upload ended before it was complete."]);
    }
  });

  it("without a boundary (400)", async () => {
    const request = new Request("http://localhost/admin", {
      method: "POST",
      headers: { "Content-Type": "multipart/form-data" },
      body: "hello",
    });
    expect((await rejected(request)).status).toBe(400);
  });
});

describe("an upload by an account that was restricted during the upload", () => {
  it.each([
    ["blocked", "UPDATE users SET deactivated_at = '2026-01-01T00:00:00.000Z'"],
    ["restricted to drafts", "UPDATE users SET role = 'uploader', may_publish = 0"],
  ])("is rejected if the account was %s", async (_, sql) => {
    run(sql);
    const { status } = await rejected(uploadRequest(clip));
    expect(status).toBe(403);
  });

  it("becomes a draft if the uploader may save drafts", async () => {
    run("UPDATE users SET role = 'uploader', may_publish = 0");
    expect((await accepted(uploadRequest(clip, { intent: "draft" }))).status).toBe("review");
  });
});

describe("an exact duplicate", () => {
  it("is reported with the existing video, and kept until the user decides", async () => {
    const first = await accepted(uploadRequest(clip));
    const again = await receiveUpload(
      uploadRequest(clip, { title: "Again", duplicate: "ask" }),
      USER,
    );
    if (again.ok) throw new Error("The duplicate was accepted.");
    expect(again.status).toBe(409);
    expect(again.failure.duplicate).toMatchObject({ id: first.id, title: first.title });
    expect(rows()).toHaveLength(1);

    const upload = again.failure.duplicate!.upload;
    const kept = await accepted(
      uploadRequest(undefined, { title: "Again", upload, duplicate: "keep" }),
    );
    expect(kept.title).toBe("Again");
    expect(filesIn(site.uploads)).toHaveLength(2);
  });

  it("is accepted from clients that don't ask about duplicates, such as scripts", async () => {
    await accepted(uploadRequest(clip));
    await accepted(uploadRequest(clip));
    expect(rows()).toHaveLength(2);
    expect(filesIn(site.uploads)).toHaveLength(2);
  });

  it("can't be published by other users while it is waiting for a decision", async () => {
    await accepted(uploadRequest(clip));
    const again = await receiveUpload(uploadRequest(clip, { duplicate: "ask" }), USER);
    const upload = again.ok ? "" : again.failure.duplicate!.upload;
    const other = await receiveUpload(
      uploadRequest(undefined, { upload, duplicate: "keep" }),
      "u2",
    );
    expect(other).toMatchObject({ ok: false, status: 404 });
  });
});
