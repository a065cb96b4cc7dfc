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
import { holds, type Target, words } from "./target";

const DESCRIPTIONS = [
  "0:00 Start\n1:30 Bridge\n- 12:05 River\n1:02:03 End",
  "See https://example.org/a_(b), at 1:30.\r\n(0:00) x\n[1:15] – y\n* 2:00 | z",
];
const TIMES = words("0:00 1:30 1:02:03 99:59 : . , ( ) [ ] - – • http:// https://x.y \n | <b>");
const HOUR_S = 3_600;
const NOW = Date.UTC(2026, 0, 1);

/** Texts of videos and what is found in them. */
export const TEXTS: readonly Target[] = [
  {
    name: "descriptions",
    corpus: DESCRIPTIONS,
    words: TIMES,
    longest: 10_000,
    feed(input, random) {
      const seconds = random.pick([0, 60, HOUR_S]);
      const parts = timedParts(input, seconds);
      assert.equal(parts.map(({ text }) => text).join(""), input);
      holds(parts.every((part) => (part.seconds ?? 0) >= 0));
      const linked = textParts(input);
      assert.equal(linked.map(({ text }) => text).join(""), input);
      for (const { href } of linked) {
        if (href) assert.match(new URL(href).protocol, /^https?:$/);
      }
      const chapters = chaptersOf(input, seconds);
      holds(chapters.length === 0 || chapters.length >= 3);
      holds(chapters.every(({ start }, at) => at === 0 || start > chapters[at - 1]!.start));
      const { text, from, to } = insertChapter(input, random.below(HOUR_S));
      assert.equal(text.slice(from, to), "Chapter");
    },
  },
  {
    name: "times",
    corpus: ["5:30", "1:15:30", "330", "1h2m3s", "90s", "2026-01-31 12:00:00", "2026-01-31T12:00"],
    words: words(": . h m s 0 00 59 60 99999 Z T + -"),
    longest: 10_000,
    feed(input) {
      const seconds = parseDuration(input);
      if (seconds !== undefined) {
        holds(Number.isSafeInteger(seconds) && seconds >= 0);
        assert.equal(parseDuration(formatDuration(seconds)), seconds);
        assert.match(isoDuration(seconds), /^PT/);
      }
      for (const read of [parseStart(input), parsePosition(input)]) {
        holds(read === undefined || (read >= 0 && Number.isFinite(read)));
        if (read !== undefined)
          holds(parsePosition(formatPosition(Math.min(read, 86_400))) !== undefined);
      }
      assert.match(isoTime(input), /Z$/);
      assert.match(formatAge(input, NOW), /ago$/);
      const cut = readRange({ start: input, end: "" }, 100);
      if (!("fields" in cut)) holds(cut.start >= 0 && cut.end <= 100 && cut.start < cut.end);
      const asked = readSchedule({ publishAt: input, unpublishAt: "" }, NOW);
      if ("schedule" in asked && asked.schedule.publishAt) {
        holds(Date.parse(asked.schedule.publishAt) > NOW);
      }
    },
  },
  {
    name: "fields of videos",
    corpus: [
      "A walk at night",
      "night, river, Night,, ",
      "line one\r\nline two\r\n\r\n\ttab",
      "desi",
    ],
    words: words(", \n \r\n \u2028 \u0007 desi amateur 5:30 ,, \ud800"),
    longest: 20_000,
    feed(input) {
      for (const schema of [title, description]) {
        const checked = check(schema, input);
        if (!checked.ok) continue;
        assert.deepEqual(
          check(schema, checked.value),
          checked,
          "not the same when it is read again",
        );
        holds([...checked.value].length <= 10_000);
      }
      const list = check(tags, input);
      if (list.ok) assert.deepEqual(check(tags, list.value.join(",")), list);
      const fields = { title: input, description: input, category: input, tags: input };
      check(videoTexts, { ...fields, duration: input });
    },
  },
  {
    name: "search texts",
    corpus: ["night walk", "  İstanbul ſtraße ", "a\0b", "ΣΑΣ"],
    words: words("\u0130 ſ ς \ud800 \udc00 \0 \u0345 % _ * \" '"),
    longest: 16_000,
    feed(input) {
      const text = searchText(input);
      assert.equal(searchText(text), text);
      holds([...text].length <= 200 && !/\p{Cs}/u.test(text));
      const folded = fold(text);
      assert.equal(fold(folded), folded);
      assert.equal([...folded].length, [...text].length);
    },
  },
  {
    name: "names of files",
    corpus: ["a_walk-at.night.mp4", "IMG_2026-01-01.MOV", "...", "x - y.mkv"],
    words: words(". _ - -- .mp4 / \\ \0 \u0301 ﬁ"),
    longest: 300,
    feed(input) {
      const name = titleFromFileName(input);
      holds(name.length <= 203);
      assert.doesNotMatch(name, /[\p{Cc}\u2028\u2029]/u);
      if (name !== "") holds(check(title, name).ok || name.length > 200, name);
    },
  },
  {
    name: "texts in markup",
    corpus: ['a <b> & "c"', "=1+1", "x,y;z\n", "@cmd", "]]>", "\ud800", " 'quoted' "],
    words: words("\" '' , \r\n = + @ < > & ]]> &amp; \ufffe \0"),
    longest: 10_000,
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
      // Half of a letter outside of the first plane is none in UTF-8.
      const sent = Buffer.from(input).toString();
      assert.equal(fromCsvCell(row![0]!), sent);
      assert.equal(row?.length, 2);
      assert.doesNotMatch(row![0]!, /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/);
    },
  },
  {
    name: "reasons of failures",
    corpus: [
      "The file is damaged. ffmpeg said: [mov @ 0x1] moov atom not found",
      "The disk is full.",
    ],
    words: words("ffmpeg said: file:/ more than streams could not read"),
    longest: 1_000,
    feed(input) {
      const { why, advice } = parseReason(input);
      assert.equal(why, why.trim());
      holds(advice.length > 0);
    },
  },
];
