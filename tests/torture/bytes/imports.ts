import assert from "node:assert/strict";
import { parsePasskeyResponse } from "~/features/accounts/passkeys/passkey-challenge.server";
import { readEmail } from "~/features/accounts/users.server";
import { listQuery, newVideo, schedule, videoChanges, viewOf } from "~/features/api/schemas";
import { manageHref } from "~/features/library/list/manage-address";
import { mailtoAddress, readContactForm } from "~/features/site/contact-form";
import {
  categoryOf,
  descriptionOf,
  ImportError,
  parseTable,
  planAddresses,
  seriesOf,
  statusOf,
  tagsOf,
  textOf,
  titleOf,
} from "~/features/upload/import/table.server";
import { readPastedLines } from "~/features/upload/paste-lines";
import { parseSavedFile, savedFile } from "~/features/visitor/saved-file";
import { FormError } from "~/platform/form-error.server";
import { parseSettings, SETTING_NAMES, SettingsError } from "~/platform/settings.server";
import { readCaptions } from "~db/captions";
import { readTags } from "~db/tags";
import { assertTrue, ignoring, ignoringRejection, type Target, words } from "./target";

const JSON_WORDS = words(
  '{ } [ ] [[ , : " "" null true 1e999 -0 "\\u0000" "\\ud800" "__proto__": {"toString":1} "tags": "series":',
);
const CSV_WORDS = words('" "" , ; \n \r\n file title tags category \ufeff " ,, \t =1 {a,b} [1]');
const FIELDS = [titleOf, descriptionOf, categoryOf, tagsOf, seriesOf, statusOf];
const MEGABYTE = 1024 ** 2;

/** Parses JSON, or returns undefined if it is invalid. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parsers for files and request bodies that are read as a whole. */
export const IMPORTS: readonly Target[] = [
  {
    name: "import tables",
    corpus: [
      'file,title,category,tags\na.mp4,"A ""walk""",desi,"a,b"\n',
      'file;title;tags\r\na.mp4;x;{a,"b c",NULL}\r\n',
      '[{"file":"a.mp4","title":"x","tags":["a","b"],"series":{"One":1},"status":"hidden"}]',
      '{"a.mp4":{"title":"x","category":"desi","tags":"[\\"a\\"]","views":5}}',
    ],
    words: [...CSV_WORDS, ...JSON_WORDS],
    maxLength: 20_000,
    // The input is parsed in another process or a worker thread.
    maxMs: 1_000,
    share: 0.5,
    async feed(input, random) {
      const isJson = /^\s*[[{]/.test(input) !== random.chance(0.1);
      const rows = (await ignoringRejection(Error, parseTable(input, isJson))) ?? [];
      for (const row of rows) {
        assertTrue(typeof row === "object" && row !== null);
        textOf(row, "file", "filename", "path");
        for (const field of FIELDS) ignoring(ImportError, () => field(row));
        const list = ignoring(ImportError, () => tagsOf(row));
        assertTrue(list === undefined || list.length <= 50);
      }
    },
  },
  {
    name: "tables of URLs",
    corpus: [
      'address,title,description,category,tags\nhttps://a.example/1.mp4,A walk,x,desi,"a,b"\n',
      '[{"url":"https://a.example/1.mp4","title":"x","description":"y","category":"desi","tags":["a"]}]',
    ],
    words: [...CSV_WORDS, ...JSON_WORDS],
    maxLength: 16_000,
    // The input is parsed in steps that yield to the event loop.
    maxMs: 200,
    async feed(input) {
      await ignoringRejection(ImportError, planAddresses(input));
    },
  },
  {
    name: "pasted lines",
    corpus: ["A walk | a, b | desi\n\nB\tc\tEnglish", "x | y | nowhere"],
    words: words("| \t \n \r \r\n desi English   ||"),
    maxLength: 50_000,
    // The input is parsed in the browser when lines are pasted.
    maxMs: 1_000,
    feed(input) {
      const { texts, unknown } = readPastedLines(input);
      assertTrue(unknown.every(({ line }) => line >= 1 && line <= texts.length));
    },
  },
  {
    name: "saved-video files",
    corpus: [
      savedFile({ saved: ["a", "b"], resume: [["a", 30]] }),
      savedFile({}),
      '{"type":"saved-videos","version":1,"videos":[1,null,""]}',
    ],
    words: JSON_WORDS,
    maxLength: 256 * 1024,
    // The input is parsed in the browser, and only once.
    maxMs: 100,
    feed(input) {
      const read = parseSavedFile(input);
      if (!read) return;
      assert.equal(new Set(read.ids).size, read.ids.length);
      assert.deepEqual(parseSavedFile(savedFile({ saved: read.ids })), {
        ids: read.ids,
        ignored: 0,
      });
    },
  },
  {
    name: "JSON columns",
    corpus: [
      '["a","b"]',
      '[{"url":"/media/videos/u/1/en.vtt","language":"en","label":"English","added":true}]',
      "{}",
      "null",
    ],
    words: JSON_WORDS,
    maxLength: MEGABYTE / 16,
    feed(input) {
      // The database schema accepts only JSON arrays for tags.
      if (Array.isArray(json(input))) {
        assertTrue(readTags(input).every((tag) => typeof tag === "string"));
      }
      for (const { url, language, label } of readCaptions(input)) {
        assertTrue([url, language, label].every((text) => typeof text === "string" && text !== ""));
      }
    },
  },
  {
    name: "API bodies",
    corpus: [
      '{"upload":"u-1","title":"x","description":"y","category":"desi","tags":["a"],"status":"draft"}',
      '{"title":"x","tags":[]}',
      '{"publishAt":"2030-01-31T18:00:00.000Z","unpublishAt":null}',
      '{"page":"2","search":"x","status":"hidden","from":"2026-01-01","size":"20","missing":"1"}',
    ],
    words: JSON_WORDS,
    maxLength: MEGABYTE / 16,
    feed(input) {
      const body = json(input);
      for (const schema of [newVideo, videoChanges, schedule]) schema.safeParse(body);
      const query = listQuery.safeParse(body);
      if (query.success) assert.match(manageHref(viewOf(query.data)), /^\/admin\?/);
    },
  },
  {
    name: "passkeys and accounts",
    corpus: ['{"id":"a","response":{"userHandle":"b"}}', "admin@example.com", '{"id":1}'],
    words: [...JSON_WORDS, ..."@ . a@b \n".split(" ")],
    maxLength: 16 * 1024,
    feed(input) {
      const form = new FormData();
      form.set("passkey", input);
      form.set("email", input);
      ignoring(FormError, () => parsePasskeyResponse(form));
      ignoring(FormError, () => readEmail(input));
      for (const name of ["name", "subject", "message"]) form.set(name, input);
      const { message, errors } = readContactForm(form);
      if (Object.keys(errors).length > 0) return;
      const address = new URL(mailtoAddress("contact@site.example", message));
      assert.equal(address.protocol, "mailto:");
      assert.deepEqual([...address.searchParams.keys()], ["subject", "body"]);
    },
  },
  {
    name: "settings",
    corpus: [
      "3000",
      "on",
      "12h",
      "2GiB",
      "https://site.example",
      "a@b.example",
      "smtp://u:p@mail.example:25",
      "/protected",
      "h264,av1",
    ],
    words: words("on off 0 -1 h d w GiB :// @ , .. / auto %"),
    maxLength: 2_000,
    feed(input, random) {
      const name = random.pick(SETTING_NAMES);
      ignoring(SettingsError, () => parseSettings({ [name]: input }));
    },
  },
];
