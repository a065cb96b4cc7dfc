import type { Random } from "./random";

/** What a parser is fed with: good inputs to start from, and the words of its language. */
export interface Grammar {
  corpus: readonly string[];
  words: readonly string[];
  /** Characters of the longest input that the site hands to it. */
  longest: number;
}

const NUMBERS =
  "0 -0 1 -1 00 7e9 1e308 1e999 255 256 65535 65536 2147483647 2147483648 -2147483649 "
    .concat("4294967295 4294967296 9007199254740991 9007199254740993 18446744073709551616 NaN ")
    .concat("Infinity 0x10 1.5 .5 5. 1_000 ٣ ４")
    .split(" ");

/** Characters that end, open, escape or look like others. */
const ODD = [
  ..."\0\t\n\r\v\f \u0085\u00a0\u2028\u2029\ufeff\u200b\u202e\u00ad\u007f\u001b",
  ..."\"'`<>&;,:|/\\?#%=+-*.()[]{}@!$^~_",
  ..."\u0130\u0131\u00df\u1e9e\ufb01\u0345\u0301\u1100\u{1f600}\u{10ffff}\uffff",
  ...["\ud800", "\udfff", "%00", "%2e", "%252f", "%c0%af", "%", "\r\n", "\r\n\r\n", "__proto__"],
  ...["constructor", "toString", "null", "undefined", "true", "[object Object]"],
];

const MAX_CHANGES = 5;
const LONG_EACH = 64;

/**
 * One more input: a good one with a few changes; now and then nothing but noise, or a piece of a good one
 * repeated until it is as long as can be, which is what makes a slow parser slow.
 */
export function nextInput(random: Random, grammar: Grammar): string {
  const { corpus, words, longest } = grammar;
  if (random.below(LONG_EACH) === 0) return repeated(random, grammar);
  if (random.chance(0.08)) return noise(random, random.below(200)).slice(0, longest);
  let text = random.pick(corpus);
  for (let left = 1 + random.below(MAX_CHANGES); left > 0; left--) {
    text = changed(random, text, corpus, words).slice(0, longest);
  }
  return text;
}

function changed(
  random: Random,
  text: string,
  corpus: readonly string[],
  words: readonly string[],
) {
  const at = random.below(text.length + 1);
  const to = Math.min(text.length, at + random.below(random.chance(0.5) ? 8 : text.length + 1));
  const [before, piece, after] = [text.slice(0, at), text.slice(at, to), text.slice(to)];
  const put = (other: string) => before + other + after;
  switch (random.below(11)) {
    case 0:
      return put("");
    case 1:
      return put(piece + piece);
    case 2:
      return put(piece + random.pick(words));
    case 3:
      return put(random.pick(ODD));
    case 4:
      return put(piece + random.pick(ODD));
    case 5:
      return put(noise(random, 1 + random.below(6)));
    case 6:
      return before + random.pick(corpus).slice(random.below(40));
    case 7:
      return put(random.chance(0.5) ? piece.toUpperCase() : piece.toLowerCase());
    case 8:
      return withOtherNumber(random, text);
    case 9:
      return before + piece.repeat(2 + random.below(30)) + after;
    default:
      return after + piece + before;
  }
}

function withOtherNumber(random: Random, text: string): string {
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
    if (kind === 2) return random.pick(ODD);
    return String.fromCharCode(0x20 + random.below(0x5f));
  }).join("");
}

function repeated(random: Random, { corpus, words, longest }: Grammar): string {
  const good = random.pick(corpus);
  const at = random.below(good.length + 1);
  const own = good.slice(at, at + 1 + random.below(6));
  const piece = random.chance(0.4)
    ? random.pick(words)
    : random.chance(0.5)
      ? own
      : random.pick(ODD);
  const end = random.chance(0.5) ? random.pick(ODD) : good.slice(at);
  const most = Math.max(1, longest - at - end.length);
  return (
    good.slice(0, at) +
    (piece || " ").repeat(Math.ceil(most / (piece || " ").length)).slice(0, most) +
    end
  );
}

/** The shortest text that cutting pieces out leads to for which `fails` still holds. */
export async function shrunk(
  text: string,
  fails: (text: string) => Promise<boolean>,
): Promise<string> {
  const MAX_ATTEMPTS = 2_000;
  let shortest = text;
  let tries = 0;
  for (let length = Math.ceil(text.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let at = 0; at < shortest.length && tries < MAX_ATTEMPTS; ) {
      const shorter = shortest.slice(0, at) + shortest.slice(at + length);
      tries++;
      if (await fails(shorter)) shortest = shorter;
      else at += length;
    }
  }
  return shortest;
}
