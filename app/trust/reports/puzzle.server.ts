import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { atMostEntries } from "~/server/attempt-limit.server";
import { processState } from "~db/runtime.server";

/**
 * A question in plain text, shown when one address sends many reports. It needs no image, audio, JavaScript or
 * third-party service. An answer works once and for a limited time. A wrong answer gets another question.
 */

const ANSWERED_WITHIN_MS = 15 * 60_000;
const MOST_USED = 50_000;
/** A new key at each start, so questions from before a restart have to be answered again. */
const KEY = randomBytes(32);

const used = processState(
  "used puzzles",
  () => new LRUCache<string, true>({ ...atMostEntries(MOST_USED), ttl: ANSWERED_WITHIN_MS }),
);

export interface Puzzle {
  question: string;
  /** Sent back with the answer. The answer can't be derived from it. */
  token: string;
}

const NUMBERS = [
  ...["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
  ...["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"],
];
const WORDS = [
  ...["apple", "river", "candle", "garden", "window", "button", "winter", "pencil", "forest"],
  ...["ladder", "marble", "harbour", "blanket", "kettle", "meadow", "feather", "lantern", "copper"],
];
const POSITIONS = ["first", "second", "third", "fourth", "fifth"];

export function newPuzzle(now = Date.now()): Puzzle {
  const { question, answer } = randomInt(2) === 0 ? sum() : place();
  const nonce = randomBytes(12).toString("base64url");
  const until = String(now + ANSWERED_WITHIN_MS);
  return { question, token: `${nonce}.${until}.${signed(nonce, until, answer)}` };
}

/** Whether the answer is right, in time and the first one. In either case the question can't be used again. */
export function isSolved(token: string, answer: string, now = Date.now()): boolean {
  const [nonce = "", until = "", mac = ""] = token.split(".");
  if (!/^[\w-]{16}$/.test(nonce) || !(Number(until) > now) || used().has(nonce)) return false;
  const given = Buffer.from(mac, "base64url");
  const ours = Buffer.from(signed(nonce, until, normalized(answer)), "base64url");
  if (given.length !== ours.length) return false;
  used().set(nonce, true);
  return timingSafeEqual(given, ours);
}

function sum(): { question: string; answer: string } {
  const [a, b] = [randomInt(1, 10), randomInt(1, 10)];
  const question = `How much is ${NUMBERS[a - 1]} and ${NUMBERS[b - 1]}?`;
  return { question, answer: String(a + b) };
}

function place(): { question: string; answer: string } {
  const words = new Set<string>();
  while (words.size < POSITIONS.length) words.add(WORDS[randomInt(WORDS.length)]!);
  const list = [...words];
  const at = randomInt(list.length);
  const question = `Which is the ${POSITIONS[at]} of these words: ${list.join(", ")}?`;
  return { question, answer: list[at]! };
}

/** Accepts digits or words, with or without a period. */
function normalized(answer: string): string {
  const bare = answer
    .trim()
    .toLowerCase()
    .replace(/[.!"']/g, "")
    .slice(0, 40);
  const number = NUMBERS.indexOf(bare);
  return number < 0 ? bare : String(number + 1);
}

function signed(nonce: string, until: string, answer: string): string {
  return createHmac("sha256", KEY).update(`${nonce} ${until} ${answer}`).digest("base64url");
}
