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
import { holds, type Target, unless, unlessRejected, words } from "./target";

const JSON_WORDS = words(
  '{ } [ ] [[ , : " "" null true 1e999 -0 "\\u0000" "\\ud800" "__proto__": {"toString":1} "tags": "series":',
);
const CSV_WORDS = words('" "" , ; \n \r\n file title tags category \ufeff " ,, \t =1 {a,b} [1]');
const FIELDS = [titleOf, descriptionOf, categoryOf, tagsOf, seriesOf, statusOf];
const MEGABYTE = 1024 ** 2;

/** What a text says, where it is JSON. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Files and bodies that are read as a whole. */
export const IMPORTS: readonly Target[] = [
  {
    name: "tables to import",
    corpus: [
      'file,title,category,tags\na.mp4,"A ""walk""",desi,"a,b"\n',
      'file;title;tags\r\na.mp4;x;{a,"b c",NULL}\r\n',
      '[{"file":"a.mp4","title":"x","tags":["a","b"],"series":{"One":1},"status":"hidden"}]',
      '{"a.mp4":{"title":"x","category":"desi","tags":"[\\"a\\"]","views":5}}',
    ],
    words: [...CSV_WORDS, ...JSON_WORDS],
    longest: 20_000,
    // A program of its own reads them, or a thread.
    mostMs: 1_000,
    share: 0.5,
    async feed(input, random) {
      const isJson = /^\s*[[{]/.test(input) !== random.chance(0.1);
      const rows = (await unlessRejected(Error, parseTable(input, isJson))) ?? [];
      for (const row of rows) {
        holds(typeof row === "object" && row !== null);
        textOf(row, "file", "filename", "path");
        for (const field of FIELDS) unless(ImportError, () => field(row));
        const list = unless(ImportError, () => tagsOf(row));
        holds(list === undefined || list.length <= 50);
      }
    },
  },
  {
    name: "addresses to import",
    corpus: [
      'address,title,description,category,tags\nhttps://a.example/1.mp4,A walk,x,desi,"a,b"\n',
      '[{"url":"https://a.example/1.mp4","title":"x","description":"y","category":"desi","tags":["a"]}]',
    ],
    words: [...CSV_WORDS, ...JSON_WORDS],
    longest: 16_000,
    // In parts, between which others are served.
    mostMs: 200,
    async feed(input) {
      await unlessRejected(ImportError, planAddresses(input));
    },
  },
  {
    name: "pasted lines",
    corpus: ["A walk | a, b | desi\n\nB\tc\tEnglish", "x | y | nowhere"],
    words: words("| \t \n \r \r\n desi English   ||"),
    longest: 50_000,
    // Read by the browser of whoever pastes them.
    mostMs: 1_000,
    feed(input) {
      const { texts, unknown } = readPastedLines(input);
      holds(unknown.every(({ line }) => line >= 1 && line <= texts.length));
    },
  },
  {
    name: "files of saved videos",
    corpus: [
      savedFile({ saved: ["a", "b"], resume: [["a", 30]] }),
      savedFile({}),
      '{"type":"saved-videos","version":1,"videos":[1,null,""]}',
    ],
    words: JSON_WORDS,
    longest: 256 * 1024,
    // Read by the browser that keeps them, once.
    mostMs: 100,
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
    name: "columns of JSON",
    corpus: [
      '["a","b"]',
      '[{"url":"/media/videos/u/1/en.vtt","language":"en","label":"English","added":true}]',
      "{}",
      "null",
    ],
    words: JSON_WORDS,
    longest: MEGABYTE / 16,
    feed(input) {
      // The schema takes no other text for tags.
      if (Array.isArray(json(input))) {
        holds(readTags(input).every((tag) => typeof tag === "string"));
      }
      for (const { url, language, label } of readCaptions(input)) {
        holds([url, language, label].every((text) => typeof text === "string" && text !== ""));
      }
    },
  },
  {
    name: "bodies of the API",
    corpus: [
      '{"upload":"u-1","title":"x","description":"y","category":"desi","tags":["a"],"status":"draft"}',
      '{"title":"x","tags":[]}',
      '{"publishAt":"2030-01-31T18:00:00.000Z","unpublishAt":null}',
      '{"page":"2","search":"x","status":"hidden","from":"2026-01-01","size":"20","missing":"1"}',
    ],
    words: JSON_WORDS,
    longest: MEGABYTE / 16,
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
    longest: 16 * 1024,
    feed(input) {
      const form = new FormData();
      form.set("passkey", input);
      form.set("email", input);
      unless(FormError, () => parsePasskeyResponse(form));
      unless(FormError, () => readEmail(input));
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
    longest: 2_000,
    feed(input, random) {
      const name = random.pick(SETTING_NAMES);
      unless(SettingsError, () => parseSettings({ [name]: input }));
    },
  },
];
