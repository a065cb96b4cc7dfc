import { AssertionError } from "node:assert";
import type { Grammar } from "../mutate";
import type { Random } from "../random";

/** A parser that reads what strangers wrote. */
export interface Target extends Grammar {
  name: string;
  /** Feeds it, and throws where something does not hold that always has to. */
  feed(input: string, random: Random): void | Promise<void>;
  /**
   * Milliseconds of a processor that the longest input may take; usually what the thread that answers
   * everybody may be kept for.
   */
  mostMs?: number;
  /** How often it is fed, compared with others; less where each input takes a file. */
  share?: number;
}

/** What `work` returns; undefined where it throws the error that it says it throws. */
export function unless<T>(
  expected: abstract new (...args: never[]) => Error,
  work: () => T,
): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof expected) return undefined;
    throw error;
  }
}

/** What `work` resolves with; undefined where it rejects with the error that it says it rejects with. */
export async function unlessRejected<T>(
  expected: abstract new (...args: never[]) => Error,
  work: Promise<T>,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof expected) return undefined;
    throw error;
  }
}

/** Not `assert.ok`, which reads the source to quote what was false, and does not come to an end. */
export function holds(condition: unknown, what = "it does not hold"): asserts condition {
  if (!condition) throw new AssertionError({ message: what });
}

/** Words between spaces, for grammars. */
export const words = (text: string): string[] => text.split(" ");

/** As Node hands over the value of a header: bytes as Latin-1, none that ends a line. */
export function headerValue(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "").trim();
}

/** What Node reads of all headers together. */
export const LONGEST_HEADER = 16 * 1024;
