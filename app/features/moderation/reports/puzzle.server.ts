import { randomInt, randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { atMostEntries } from "~/platform/attempt-limit.server";
import { decrypt, encrypt } from "~/platform/secret-box.server";
import { sign, verify } from "~/platform/signed-value.server";
import { processState } from "~db/runtime.server";

/**
 * A question in plain text, shown when one address sends many reports. It needs no image, audio, JavaScript or
 * third-party service. An answer works once and for a limited time. A wrong answer gets another question.
 */

const ANSWERED_WITHIN_MS = 15 * 60_000;
const MOST_USED = 50_000;
/** New at each start, which forgets the used questions, so that none from before it is accepted. */
const PURPOSE = `report puzzle ${randomUUID()}`;
/** All answers are padded to one length, which says nothing about them. */
const ANSWER_LENGTH = 10;

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
  const box = encrypt(PURPOSE, answer.padEnd(ANSWER_LENGTH));
  return { question, token: sign(PURPOSE, box, now + ANSWERED_WITHIN_MS) };
}

/** Returns whether the answer is right, in time and the first one. In either case the question can't be used again. */
export function isSolved(token: string, answer: string, now = Date.now()): boolean {
  const box = verify(PURPOSE, token, now);
  // Only questions that were asked are remembered, so that made-up ones don't displace them.
  if (box === undefined || used().has(box)) return false;
  used().set(box, true);
  return decrypt(PURPOSE, box)?.trimEnd() === normalized(answer);
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
