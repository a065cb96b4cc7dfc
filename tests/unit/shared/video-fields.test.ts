import { describe, expect, it } from "vitest";
import { videoFile } from "~/shared/file-rules";
import { check, newVideoTexts, videoTexts } from "~/shared/video-fields";

const TYPED = { title: "A video", description: "Words", category: "desi", tags: "", duration: "" };

describe.each([
  ["an upload", newVideoTexts],
  ["an edit", videoTexts],
])("the texts of %s", (_, schema) => {
  const read = (texts: Record<string, string>) => check<object>(schema, { ...TYPED, ...texts });

  it("are trimmed, and lose what cannot be seen", () => {
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
  ])("are refused for %s %j", (field, value, message) => {
    expect(read({ [field]: value })).toEqual({ ok: false, fields: { [field]: message } });
  });
});

it("only an upload needs a description, takes no legacy category, and has a duration as a hint", () => {
  const odd = { ...TYPED, description: "", category: "amateur", duration: "5:30" };
  expect(check(videoTexts, odd)).toMatchObject({
    value: { description: "", category: "desi", duration: 330 },
  });
  expect(check(newVideoTexts, odd)).toEqual({
    ok: false,
    fields: { description: "Enter a description.", category: "Choose a category." },
  });
  const soon = { ...TYPED, duration: "soon" };
  expect(check(newVideoTexts, soon)).toMatchObject({ ok: true });
  expect(check(videoTexts, soon)).toEqual({
    ok: false,
    fields: { duration: "Use minutes:seconds, such as 5:30." },
  });
});

it("a video may be what its type or its name says, up to the limit of the settings", () => {
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
