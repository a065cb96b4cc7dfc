import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Random } from "../random";

/** Unique words, and all byte sequences that may represent them. */
export interface Marks {
  /** The words by name, such as `agent`. */
  words: ReadonlyMap<string, string>;
  forms: readonly { name: string; bytes: Buffer }[];
}

const CONSONANTS = "bcdfghjklmnpqrstvwxz";
const MARK_LENGTH = 14;

/** Returns a unique word of consonants, which URL encoding doesn't change. */
export function newMark(random: Random): string {
  return Array.from(
    { length: MARK_LENGTH },
    () => CONSONANTS[random.below(CONSONANTS.length)],
  ).join("");
}

/** Returns markers for words, with every form in which the site may have written each word. */
export function marksOf(words: ReadonlyMap<string, string>): Marks {
  const forms = [...words].flatMap(([name, word]) =>
    formsOf(word).map(([form, bytes]) => ({ name: `${name} (${form})`, bytes })),
  );
  return { words, forms };
}

function formsOf(word: string): [form: string, bytes: Buffer][] {
  const bytes = Buffer.from(word);
  const hex = bytes.toString("hex");
  const little = Buffer.from(word, "utf16le");
  const big = Buffer.from(little).swap16();
  const percent = hex.replace(/../g, "%$&");
  const texts: [string, string][] = [
    ["plain", word],
    ["upper case", word.toUpperCase()],
    ["backwards", [...word].reverse().join("")],
    ["hex", hex],
    ["upper-case hex", hex.toUpperCase()],
    ["percent", percent],
    ["upper-case percent", percent.toUpperCase()],
    ...base64Of(bytes),
  ];
  return [
    ...texts.map(([form, text]): [string, Buffer] => [form, Buffer.from(text)]),
    ["UTF-16LE", little],
    ["UTF-16BE", big],
    ["UTF-16LE backwards", Buffer.from(little).reverse()],
    ["UTF-16BE backwards", Buffer.from(big).reverse()],
    ...digestsOf(bytes),
  ];
}

/**
 * Returns the base64 forms of a word within a longer string, which depend on its offset modulo 3. Their first and last
 * characters are omitted if they also encode bits of adjacent bytes.
 */
function base64Of(bytes: Buffer): [string, string][] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const text = padded.toString("base64").replace(/=+$/, "");
    const end = padded.length % 3 === 0 ? text.length : text.length - 1;
    const inner = text.slice(before === 0 ? 0 : before + 1, end);
    const forUrls = inner.replaceAll("+", "-").replaceAll("/", "_");
    const names = [`base64 ${before}`, `base64url ${before}`];
    const found: [string, string][] = [[names[0]!, inner]];
    if (forUrls !== inner) found.push([names[1]!, forUrls]);
    return found;
  });
}

/** Returns unsalted digests, which would reveal an IP address to anyone who tries all of them. */
function digestsOf(bytes: Buffer): [string, Buffer][] {
  return ["md5", "sha1", "sha256"].flatMap((algorithm): [string, Buffer][] => {
    const digest = createHash(algorithm).update(bytes).digest();
    return [
      [algorithm, digest],
      [`${algorithm} as hex`, Buffer.from(digest.toString("hex"))],
      [`${algorithm} as base64`, Buffer.from(digest.toString("base64").replace(/=+$/, ""))],
      [`${algorithm} as base64url`, Buffer.from(digest.toString("base64url"))],
    ];
  });
}

/** Returns the markers found in some bytes, each with the form in which it was found. */
export function marksIn({ forms }: Marks, bytes: Buffer): string[] {
  return forms.filter((form) => bytes.includes(form.bytes)).map(({ name }) => name);
}

/**
 * Searches the names and contents of all files below a folder for markers. `bytes` is the number of bytes that were
 * searched.
 */
export function searchFolder(marks: Marks, folder: string): { found: string[]; bytes: number } {
  const found: string[] = [];
  let bytes = 0;
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    for (const mark of marksIn(marks, Buffer.from(name)))
      found.push(`${mark} is in the name ${name}`);
    const content = readFile(path.join(folder, name));
    bytes += content.length;
    for (const mark of marksIn(marks, content)) found.push(`${mark} is in ${name}`);
  }
  return { found, bytes };
}

/** Reads a file, following links. Returns an empty buffer for folders and for files deleted in the meantime. */
function readFile(file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EISDIR" || code === "ENOENT" || code === "ENXIO") return Buffer.alloc(0);
    throw error;
  }
}
