import { describe, expect, it } from "vitest";
import { videoFile } from "~/shared/file-rules";
import { check, newVideoTexts, videoTexts } from "~/shared/video-fields";

const INPUT = { title: "A video", description: "Words", category: "desi", tags: "", duration: "" };

describe.each([
  ["an upload", newVideoTexts],
  ["an edit", videoTexts],
])("the text fields of %s", (_, schema) => {
  const read = (texts: Record<string, string>) => check<object>(schema, { ...INPUT, ...texts });

  it("are trimmed and stripped of control characters", () => {
    const texts = { title: " A\u0000\u2028video\u001b ", description: " a\u0007b\r\n\tc\u0085 " };
    expect(read({ ...texts, tags: " x\u0001, X,, y " })).toMatchObject({
      ok: true,
      value: { title: "A video", description: "ab\n\tc", category: "desi", tags: ["x", "y"] },
    });
  });

  it.each([
    ["title", "", "Enter a title."],
    ["title", "\u0000\u0001", "Enter a title."],
    ["title", "x".repeat(201), "Use at most 200 characters."],
    ["description", "x".repeat(10_001), "Use at most 10,000 characters."],
    ["category", "trending", "Choose a category."],
    ["tags", "x".repeat(61), "Use at most 60 characters per tag."],
    ["tags", Array.from({ length: 51 }, (_, n) => `t${n}`).join(), "Use at most 50 tags."],
  ])("are rejected if the %s is %j", (field, value, message) => {
    expect(read({ [field]: value })).toEqual({ ok: false, fields: { [field]: message } });
  });
});

it("for uploads only, requires a description, rejects legacy categories and ignores invalid durations", () => {
  const legacy = { ...INPUT, description: "", category: "amateur", duration: "5:30" };
  expect(check(videoTexts, legacy)).toMatchObject({
    value: { description: "", category: "desi", duration: 330 },
  });
  expect(check(newVideoTexts, legacy)).toEqual({
    ok: false,
    fields: { description: "Enter a description.", category: "Choose a category." },
  });
  const badDuration = { ...INPUT, duration: "soon" };
  expect(check(newVideoTexts, badDuration)).toMatchObject({ ok: true });
  expect(check(videoTexts, badDuration)).toEqual({
    ok: false,
    fields: { duration: "Use minutes:seconds, such as 5:30." },
  });
});

it("accepts a video file by its type or extension, up to the size limit", () => {
  const read = (name: string, type: string, size: number) =>
    check(videoFile({ maxVideoBytes: 1024 }), { name, type, size });
  expect(read("a", "video/mp4", 1024).ok).toBe(true);
  expect(read("a.MKV", "", 1).ok).toBe(true);
  expect(read("a.txt", "text/plain", 1)).toEqual({
    ok: false,
    fields: { "": "This file is not a video." },
  });
  expect(read("a.mp4", "", 0)).toEqual({ ok: false, fields: { "": "This file is empty." } });
  expect(read("a.mp4", "", 1025)).toEqual({
    ok: false,
    fields: { "": "The video is larger than 1KB." },
  });
});
