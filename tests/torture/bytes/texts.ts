import assert from "node:assert/strict";
import { parse } from "csv-parse/sync";
import { formatPosition, insertChapter, parsePosition } from "~/features/library/edit/positions";
import { readRange } from "~/features/library/managed-video";
import { parseStart } from "~/features/player/media-time";
import { parseReason } from "~/features/processing/queue/failure-reasons";
import { readSchedule } from "~/features/visibility/schedule";
import { textParts } from "~/features/watch/linked-text";
import { titleFromFileName } from "~/shared/file-title";
import { fold } from "~/shared/fold";
import { formatAge, formatDuration, isoDuration, isoTime, parseDuration } from "~/shared/format";
import { csvTable, fromCsvCell } from "~/shared/markup/csv";
import { quoted } from "~/shared/markup/playlist-text";
import { xmlElement } from "~/shared/markup/xml";
import { searchText } from "~/shared/search-text";
import { chaptersOf, timedParts } from "~/shared/timestamps";
import { check, description, tags, title, videoTexts } from "~/shared/video-fields";
import { assertTrue, type Target, words } from "./target";

const DESCRIPTIONS = [
  "0:00 Start\n1:30 Bridge\n- 12:05 River\n1:02:03 End",
  "See https://example.org/a_(b), at 1:30.\r\n(0:00) x\n[1:15] – y\n* 2:00 | z",
];
const TIMES = words("0:00 1:30 1:02:03 99:59 : . , ( ) [ ] - – • http:// https://x.y \n | <b>");
const HOUR_S = 3_600;
const NOW = Date.UTC(2026, 0, 1);

/** Parsers for video fields and other text. */
export const TEXTS: readonly Target[] = [
  {
    name: "descriptions",
    corpus: DESCRIPTIONS,
    words: TIMES,
    maxLength: 10_000,
    feed(input, random) {
      const seconds = random.pick([0, 60, HOUR_S]);
      const parts = timedParts(input, seconds);
      assert.equal(parts.map(({ text }) => text).join(""), input);
      assertTrue(parts.every((part) => (part.seconds ?? 0) >= 0));
      const linked = textParts(input);
      assert.equal(linked.map(({ text }) => text).join(""), input);
      for (const { href } of linked) {
        if (href) assert.match(new URL(href).protocol, /^https?:$/);
      }
      const chapters = chaptersOf(input, seconds);
      assertTrue(chapters.length === 0 || chapters.length >= 3);
      assertTrue(chapters.every(({ start }, at) => at === 0 || start > chapters[at - 1]!.start));
      const { text, from, to } = insertChapter(input, random.below(HOUR_S));
      assert.equal(text.slice(from, to), "Chapter");
    },
  },
  {
    name: "times",
    corpus: ["5:30", "1:15:30", "330", "1h2m3s", "90s", "2026-01-31 12:00:00", "2026-01-31T12:00"],
    words: words(": . h m s 0 00 59 60 99999 Z T + -"),
    maxLength: 10_000,
    feed(input) {
      const seconds = parseDuration(input);
      if (seconds !== undefined) {
        assertTrue(Number.isSafeInteger(seconds) && seconds >= 0);
        assert.equal(parseDuration(formatDuration(seconds)), seconds);
        assert.match(isoDuration(seconds), /^PT/);
      }
      for (const read of [parseStart(input), parsePosition(input)]) {
        assertTrue(read === undefined || (read >= 0 && Number.isFinite(read)));
        if (read !== undefined)
          assertTrue(parsePosition(formatPosition(Math.min(read, 86_400))) !== undefined);
      }
      assert.match(isoTime(input), /Z$/);
      assert.match(formatAge(input, NOW), /ago$/);
      const range = readRange({ start: input, end: "" }, 100);
      if (!("fields" in range))
        assertTrue(range.start >= 0 && range.end <= 100 && range.start < range.end);
      const result = readSchedule({ publishAt: input, unpublishAt: "" }, NOW);
      if ("schedule" in result && result.schedule.publishAt) {
        assertTrue(Date.parse(result.schedule.publishAt) > NOW);
      }
    },
  },
  {
    name: "video fields",
    corpus: [
      "A walk at night",
      "night, river, Night,, ",
      "line one\r\nline two\r\n\r\n\ttab",
      "desi",
    ],
    words: words(", \n \r\n \u2028 \u0007 desi amateur 5:30 ,, \ud800"),
    maxLength: 20_000,
    feed(input) {
      for (const schema of [title, description]) {
        const checked = check(schema, input);
        if (!checked.ok) continue;
        assert.deepEqual(check(schema, checked.value), checked, "not idempotent");
        assertTrue([...checked.value].length <= 10_000);
      }
      const list = check(tags, input);
      if (list.ok) assert.deepEqual(check(tags, list.value.join(",")), list);
      const fields = { title: input, description: input, category: input, tags: input };
      check(videoTexts, { ...fields, duration: input });
    },
  },
  {
    name: "search text",
    corpus: ["night walk", "  İstanbul ſtraße ", "a\0b", "ΣΑΣ"],
    words: words("\u0130 ſ ς \ud800 \udc00 \0 \u0345 % _ * \" '"),
    maxLength: 16_000,
    feed(input) {
      const text = searchText(input);
      assert.equal(searchText(text), text);
      assertTrue([...text].length <= 200 && !/\p{Cs}/u.test(text));
      const folded = fold(text);
      assert.equal(fold(folded), folded);
      assert.equal([...folded].length, [...text].length);
    },
  },
  {
    name: "file names",
    corpus: ["a_walk-at.night.mp4", "IMG_2026-01-01.MOV", "...", "x - y.mkv"],
    words: words(". _ - -- .mp4 / \\ \0 \u0301 ﬁ"),
    maxLength: 300,
    feed(input) {
      const name = titleFromFileName(input);
      assertTrue(name.length <= 203);
      assert.doesNotMatch(name, /[\p{Cc}\u2028\u2029]/u);
      if (name !== "") assertTrue(check(title, name).ok || name.length > 200, name);
    },
  },
  {
    name: "markup",
    corpus: ['a <b> & "c"', "=1+1", "x,y;z\n", "@cmd", "]]>", "\ud800", " 'quoted' "],
    words: words("\" '' , \r\n = + @ < > & ]]> &amp; \ufffe \0"),
    maxLength: 10_000,
    feed(input) {
      const element = xmlElement("a", input);
      assert.doesNotMatch(element.slice(3, -4), /[<>"]|&(?!(?:amp|lt|gt|quot|apos);)/);
      assert.doesNotMatch(
        element,
        /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u,
      );
      assert.match(quoted(input), /^"[^"\r\n]*"$/);
      const table = csvTable(["text", "more"], [[input, 1]]);
      const [, row] = parse(table) as string[][];
      // UTF-8 can't represent half of a surrogate pair.
      const sent = Buffer.from(input).toString();
      assert.equal(fromCsvCell(row![0]!), sent);
      assert.equal(row?.length, 2);
      assert.doesNotMatch(row![0]!, /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/);
    },
  },
  {
    name: "failure reasons",
    corpus: [
      "The file is damaged. ffmpeg said: [mov @ 0x1] moov atom not found",
      "The disk is full.",
    ],
    words: words("ffmpeg said: file:/ more than streams could not read"),
    maxLength: 1_000,
    feed(input) {
      const { why, advice } = parseReason(input);
      assert.equal(why, why.trim());
      assertTrue(advice.length > 0);
    },
  },
];
