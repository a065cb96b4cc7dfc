import type { Random } from "./random";

/** A parser's valid inputs and the words of its language. The inputs for a run are generated from these. */
export interface Grammar {
  corpus: readonly string[];
  words: readonly string[];
  /** The maximum length in characters of an input that the site passes to the parser. */
  maxLength: number;
}

const NUMBERS =
  "0 -0 1 -1 00 7e9 1e308 1e999 255 256 65535 65536 2147483647 2147483648 -2147483649 "
    .concat("4294967295 4294967296 9007199254740991 9007199254740993 18446744073709551616 NaN ")
    .concat("Infinity 0x10 1.5 .5 5. 1_000 ٣ ４")
    .split(" ");

/** Characters and sequences that open, close or escape something, or that resemble other characters. */
const SPECIAL_CHARACTERS = [
  ..."\0\t\n\r\v\f \u0085\u00a0\u2028\u2029\ufeff\u200b\u202e\u00ad\u007f\u001b",
  ..."\"'`<>&;,:|/\\?#%=+-*.()[]{}@!$^~_",
  ..."\u0130\u0131\u00df\u1e9e\ufb01\u0345\u0301\u1100\u{1f600}\u{10ffff}\uffff",
  ...["\ud800", "\udfff", "%00", "%2e", "%252f", "%c0%af", "%", "\r\n", "\r\n\r\n", "__proto__"],
  ...["constructor", "toString", "null", "undefined", "true", "[object Object]"],
];

const MAX_CHANGES = 5;
const REPEATED_INPUT_EVERY = 64;

/**
 * Returns a valid input with a few changes. Sometimes returns noise instead, or a piece of a valid input that is
 * repeated up to the maximum length. The latter exposes parsers whose run time isn't linear.
 */
export function nextInput(random: Random, grammar: Grammar): string {
  const { corpus, words, maxLength } = grammar;
  if (random.below(REPEATED_INPUT_EVERY) === 0) return repeatPiece(random, grammar);
  if (random.chance(0.08)) return noise(random, random.below(200)).slice(0, maxLength);
  let text = random.pick(corpus);
  for (let left = 1 + random.below(MAX_CHANGES); left > 0; left--) {
    text = mutate(random, text, corpus, words).slice(0, maxLength);
  }
  return text;
}

function mutate(random: Random, text: string, corpus: readonly string[], words: readonly string[]) {
  const at = random.below(text.length + 1);
  const to = Math.min(text.length, at + random.below(random.chance(0.5) ? 8 : text.length + 1));
  const [before, piece, after] = [text.slice(0, at), text.slice(at, to), text.slice(to)];
  const replaceWith = (other: string) => before + other + after;
  switch (random.below(11)) {
    case 0:
      return replaceWith("");
    case 1:
      return replaceWith(piece + piece);
    case 2:
      return replaceWith(piece + random.pick(words));
    case 3:
      return replaceWith(random.pick(SPECIAL_CHARACTERS));
    case 4:
      return replaceWith(piece + random.pick(SPECIAL_CHARACTERS));
    case 5:
      return replaceWith(noise(random, 1 + random.below(6)));
    case 6:
      return before + random.pick(corpus).slice(random.below(40));
    case 7:
      return replaceWith(random.chance(0.5) ? piece.toUpperCase() : piece.toLowerCase());
    case 8:
      return replaceNumber(random, text);
    case 9:
      return before + piece.repeat(2 + random.below(30)) + after;
    default:
      return after + piece + before;
  }
}

function replaceNumber(random: Random, text: string): string {
  const numbers = [...text.matchAll(/\d+/g)];
  if (numbers.length === 0) return text + random.pick(NUMBERS);
  const found = random.pick(numbers);
  return (
    text.slice(0, found.index) + random.pick(NUMBERS) + text.slice(found.index + found[0].length)
  );
}

function noise(random: Random, length: number): string {
  const kind = random.below(4);
  return Array.from({ length }, () => {
    if (kind === 0) return String.fromCharCode(random.below(256));
    if (kind === 1) return String.fromCharCode(random.below(0x1_0000));
    if (kind === 2) return random.pick(SPECIAL_CHARACTERS);
    return String.fromCharCode(0x20 + random.below(0x5f));
  }).join("");
}

function repeatPiece(random: Random, { corpus, words, maxLength }: Grammar): string {
  const valid = random.pick(corpus);
  const at = random.below(valid.length + 1);
  const ownPiece = valid.slice(at, at + 1 + random.below(6));
  const piece = random.chance(0.4)
    ? random.pick(words)
    : random.chance(0.5)
      ? ownPiece
      : random.pick(SPECIAL_CHARACTERS);
  const end = random.chance(0.5) ? random.pick(SPECIAL_CHARACTERS) : valid.slice(at);
  const length = Math.max(1, maxLength - at - end.length);
  return (
    valid.slice(0, at) +
    (piece || " ").repeat(Math.ceil(length / (piece || " ").length)).slice(0, length) +
    end
  );
}

/** Shortens a string by removing pieces, as long as `fails` still returns true for the rest. */
export async function shrink(
  text: string,
  fails: (text: string) => Promise<boolean>,
): Promise<string> {
  const MAX_ATTEMPTS = 2_000;
  let shortest = text;
  let attempts = 0;
  for (let length = Math.ceil(text.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let at = 0; at < shortest.length && attempts < MAX_ATTEMPTS; ) {
      const shorter = shortest.slice(0, at) + shortest.slice(at + length);
      attempts++;
      if (await fails(shorter)) shortest = shorter;
      else at += length;
    }
  }
  return shortest;
}
