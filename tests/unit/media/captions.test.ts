import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CaptionsLimitError,
  decodeText,
  MAX_CUES,
  MAX_LINE_LENGTH,
  readCues,
  writeWebvtt,
} from "~/media/captions/cues";
import { captionsLabel, distinctLabel, languageTag } from "~/media/captions/languages";
import { readCaptions } from "~db/captions";

const SUBRIP = `\uFEFF1\r
00:00:01,000 --> 00:00:02,500\r
<i>Hello</i> & <font color="red">welcome</font>\r
\r
2\r
00:00:03,000 --> 00:00:04,000\r
1 < 2 &amp; so on\r
{\\an8}Second line\r
`;

describe("SubRip captions", () => {
  it("are converted to cues with WebVTT escapes and tags", () => {
    expect(readCues(SUBRIP)).toEqual([
      { start: 1, end: 2.5, settings: "", text: "<i>Hello</i> &amp; welcome" },
      { start: 3, end: 4, settings: "", text: "1 &lt; 2 &amp; so on\nSecond line" },
    ]);
  });

  it("can be out of order, and don't need numbers, blank lines or hours", () => {
    const cues = readCues("00:05.5 --> 00:06.0\nlater\n0:01,5 --> 0:02,25\nfirst\n");
    expect(cues.map(({ start, end, text }) => [start, end, text])).toEqual([
      [1.5, 2.25, "first"],
      [5.5, 6, "later"],
    ]);
  });
});

describe("WebVTT captions", () => {
  it("are reduced to their cues, with markup and positions", () => {
    const cues = readCues(
      "WEBVTT - a video\n\nSTYLE\n::cue { background: url(https://example.com/x) }\n\nNOTE\nnobody\n\n" +
        "name of the cue\n00:01.000 --> 00:02.000 align:start line:10% region:x onclick:alert(1)\n<v Ann>1 &lt; 2</v>\n",
    );
    expect(cues).toEqual([
      { start: 1, end: 2, settings: "align:start line:10%", text: "<v Ann>1 &lt; 2</v>" },
    ]);
  });

  it.each([
    ["<c.yellow.bg_blue>Hi</c>", "<c.yellow.bg_blue>Hi</c>"],
    ["<c.fixed.inset-0.red>Hi</c> <v.loud Ann>No</v>", "<c.red>Hi</c> <v Ann>No</v>"],
    [
      "<i.p-8>a</i><lang.x en>b</lang><ruby.y>c<rt.z>d</rt></ruby>",
      "<i>a</i><lang en>b</lang><ruby>c<rt>d</rt></ruby>",
    ],
    ["<c.yellow\u00a0x.fixed>Hi</c>", "<c>Hi</c>"],
    ["<c..fixed.>Hi</c>", "<c>Hi</c>"],
    ["<c.yellowish.YELLOW.bg_>Hi</c>", "<c>Hi</c>"],
    ["<c.fixed", "<c"],
    ["<00:01.500>karaoke 1.5 <b>a.b.c</b>", "<00:01.500>karaoke 1.5 <b>a.b.c</b>"],
    ["<v Dr. Ann.Lee>e.g.</v>", "<v Dr. Ann.Lee>e.g.</v>"],
  ])("keep only standard WebVTT classes: %s", (line, kept) => {
    const [cue] = readCues(`WEBVTT\n\n00:01.000 --> 00:02.000\n${line}\n`);
    expect(cue!.text).toBe(kept);
  });

  it("have the same cues after they are written and parsed again", () => {
    const cue = fc.record({
      start: fc.integer({ min: 0, max: 90_000_000 }).map((ms) => ms / 1_000),
      length: fc.integer({ min: 1, max: 60_000 }).map((ms) => ms / 1_000),
      text: fc.constantFrom("word", "two\nlines", "<i>x</i>", "&lt;3", "žluťoučký 東京"),
    });
    fc.assert(
      fc.property(fc.array(cue, { maxLength: 20 }), (list) => {
        const cues = list
          .map(({ start, length, text }) => ({ start, end: start + length, settings: "", text }))
          .sort((a, b) => a.start - b.start);
        const again = readCues(writeWebvtt(cues));
        expect(again.map(({ text }) => text)).toEqual(cues.map(({ text }) => text));
        for (const [index, { start, end }] of again.entries()) {
          expect(start).toBeCloseTo(cues[index]!.start, 3);
          expect(end).toBeCloseTo(cues[index]!.end, 3);
        }
      }),
    );
  });
});

describe("text that isn't valid captions", () => {
  it.each([
    ["nothing", ""],
    ["a web page", "<!doctype html><p>00:01 to 00:02</p>"],
    ["a cue without words", "WEBVTT\n\n00:01.000 --> 00:02.000\n\n"],
    ["a cue that ends before it begins", "1\n00:00:02,000 --> 00:00:01,000\nword\n"],
    ["impossible minutes", "1\n00:75:02,000 --> 00:76:01,000\nword\n"],
  ])("has no cues: %s", (_, text) => {
    expect(readCues(text)).toEqual([]);
  });

  it("is parsed without errors, and never produces HTML tags", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        readCues(text);
        const written = writeWebvtt(readCues(`1\n00:00:01,000 --> 00:00:02,000\nx${text}\n`));
        expect(written).not.toMatch(/<(?!\/?[biu]>)/);
      }),
    );
  });

  it("can't be decoded if it is neither UTF-8 nor UTF-16 with a byte order mark", () => {
    expect(decodeText(Buffer.from("grün", "latin1"))).toBeUndefined();
    expect(decodeText(Buffer.from([0, 1, 2, 0]))).toBeUndefined();
    expect(decodeText(Buffer.from("grün"))).toBe("grün");
    expect(decodeText(Buffer.from("\uFEFFgrün", "utf16le"))).toBe("grün");
  });
});

describe("oversized captions", () => {
  const cue = (number: number) => `00:00:01,000 --> 00:00:02,000\nline ${number}\n\n`;

  it("are rejected with a message if a line is too long", () => {
    const begin = "1\n00:00:01,000 --> 00:00:02,000\n";
    expect(readCues(begin + "a".repeat(MAX_LINE_LENGTH))).toHaveLength(1);
    expect(() => readCues(begin + "<".repeat(2_000_000))).toThrow(CaptionsLimitError);
    expect(() => readCues(begin + "<".repeat(2_000_000))).toThrow(/2,000 characters/);
  });

  it("are rejected if they have more than 20,000 cues", () => {
    const many = Array.from({ length: MAX_CUES }, (_, index) => cue(index)).join("");
    expect(readCues(many)).toHaveLength(MAX_CUES);
    expect(() => readCues(many + cue(0))).toThrow(/20,000 cues/);
  });

  it.each([
    "<",
    "{\\",
    "<font",
    "< b",
    "&am",
    "<font <",
    "-->",
    " ",
    "{\\<font",
    "<c.",
    ".a",
    "<c<",
  ])("are parsed in linear time if their lines consist of %j", (part) => {
    const line = part.repeat(Math.floor(MAX_LINE_LENGTH / part.length));
    const cues = (lines: number) => `00:00:01,000 --> 00:00:02,000\n${`${line}\n`.repeat(lines)}`;
    const took = (lines: number) => {
      const start = performance.now();
      readCues(`1\n${cues(lines)}`);
      readCues(`WEBVTT\n\n${cues(lines)}`);
      return performance.now() - start;
    };
    took(50);
    // Parses two caption files of 2 MB each. Parsing each file as a single line used to take 4 seconds in total.
    expect(took(1_000)).toBeLessThan(3_000);
  });
});

describe("caption tracks", () => {
  it.each([
    ["eng", "en"],
    ["ger", "de"],
    ["pt_BR", "pt-BR"],
    ["und", "und"],
    ["", "und"],
    ["xx-not a language", "und"],
    ["qqq", "und"],
  ])("with the language code “%s” are tagged %s", (code, tag) => {
    expect(languageTag(code)).toBe(tag);
  });

  const stream = { language: "eng", title: "", forced: false, hearingImpaired: false };
  it.each([
    [{}, "English"],
    [{ title: "english" }, "English"],
    [{ title: "Commentary" }, "English (Commentary)"],
    [{ title: "English (SDH)", hearingImpaired: true }, "English (SDH)"],
    [{ forced: true }, "English (forced)"],
    [{ title: "Songs", forced: true }, "English (Songs, forced)"],
    [{ title: "signs and songs" }, "English (Signs, Songs)"],
    [{ title: "European, full" }, "English (European, Full)"],
    [{ hearingImpaired: true }, "English (SDH)"],
    [{ language: "", title: "Songs" }, "Songs"],
    [{ language: "", title: "" }, "Captions"],
    [{ language: "", title: "Forced" }, "Forced"],
    [{ title: "Ada's commentary" }, "English (Commentary)"],
    [{ title: "Ada's phone" }, "English"],
    [{ title: "Di\u202Erec\u0000tor's" }, "English"],
  ])("with %o are labeled “%s”", (more, label) => {
    expect(captionsLabel({ ...stream, ...more })).toBe(label);
  });

  it("are numbered if they would have the same label", () => {
    expect(distinctLabel("English", new Set(["English", "English 2"]))).toBe("English 3");
  });
});

describe("a video row's captions column", () => {
  it.each([
    [null, 0],
    ["no JSON", 0],
    ['{"url":"/a"}', 0],
    ['[null, 1, {"url":"/a","language":"en"}]', 0],
    ['[{"url":"/a","language":"en","label":"English"}]', 1],
  ])("with the value %s contains %i tracks", (column, count) => {
    expect(readCaptions(column)).toHaveLength(count);
  });
});
