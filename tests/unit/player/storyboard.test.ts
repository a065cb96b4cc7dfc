import { describe, expect, it } from "vitest";
import { frameAt, parseStoryboard } from "~/shared/streams/storyboard";

const BASE = "https://site.example/media/thumbnails/u/1/storyboard.vtt";
const text = `WEBVTT

00:00.000 --> 00:05.000
storyboard-1.webp#xywh=0,0,160,90

00:05.000 --> 00:10.000
storyboard-1.webp#xywh=160,0,160,90

2
01:00:00.000 --> 01:00:05.000
/elsewhere/storyboard-2.webp#xywh=pixel:0,90,160,90
`;

describe("parseStoryboard", () => {
  it("parses times, relative sheet URLs and tile positions", () => {
    expect(parseStoryboard(text, BASE)).toEqual([
      {
        start: 0,
        end: 5,
        sheet: "https://site.example/media/thumbnails/u/1/storyboard-1.webp",
        x: 0,
        y: 0,
        width: 160,
        height: 90,
      },
      expect.objectContaining({ start: 5, end: 10, x: 160 }),
      expect.objectContaining({
        start: 3600,
        y: 90,
        sheet: "https://site.example/elsewhere/storyboard-2.webp",
      }),
    ]);
  });
  it("parses files with Windows line endings", () => {
    expect(parseStoryboard(text.replaceAll("\n", "\r\n"), BASE)).toHaveLength(3);
  });
  it.each([
    "",
    "WEBVTT",
    "<!doctype html><p>not found</p>",
    "WEBVTT\n\n00:00.000 --> 00:05.000\nWords, not a picture",
    "WEBVTT\n\n00:00.000 --> 00:05.000\nsheet.webp#xywh=0,0,0,0",
    "WEBVTT\n\n00:00.000 --> 00:05.000\nhttp://[#xywh=0,0,1,1",
    "WEBVTT\n\nsoon --> later\nsheet.webp#xywh=0,0,1,1",
    "WEBVTT\n\n00:00.000 --> 00:05.000",
  ])("finds no frames in %j", (broken) => expect(parseStoryboard(broken, BASE)).toEqual([]));
});

describe("frameAt", () => {
  const frames = parseStoryboard(text, BASE);
  it("returns the last frame that starts at or before the given time", () => {
    expect(frameAt(frames, 0)?.x).toBe(0);
    expect(frameAt(frames, 4.9)?.x).toBe(0);
    expect(frameAt(frames, 5)?.x).toBe(160);
    expect(frameAt(frames, 99_999)?.start).toBe(3600);
  });
  it("returns undefined if there are no frames", () => expect(frameAt([], 5)).toBeUndefined());
});
