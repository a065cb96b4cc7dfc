import { AssertionError } from "node:assert";
import type { Grammar } from "../mutate";
import type { Random } from "../random";

/** A parser of untrusted input. */
export interface Target extends Grammar {
  name: string;
  /** Parses an input. Throws an error if an invariant is broken. */
  feed(input: string, random: Random): void | Promise<void>;
  /**
   * The maximum CPU time per input in milliseconds. The default is the time that an input may block the main thread.
   */
  maxMs?: number;
  /**
   * How often this parser is tested relative to the others. The number is lower for parsers that need a file for each
   * input.
   */
  share?: number;
}

/** Returns the result of `work`, or undefined if it throws an expected error. */
export function ignoring<T>(
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

/** Resolves with the result of `work`, or with undefined if it rejects with an expected error. */
export async function ignoringRejection<T>(
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

/**
 * Throws an error if a condition is false. `assert.ok` can't be used, because it reads the source file to quote the
 * condition, which never finishes here.
 */
export function assertTrue(
  condition: unknown,
  message = "the condition is false",
): asserts condition {
  if (!condition) throw new AssertionError({ message });
}

/** Splits a list of words at spaces. */
export const words = (text: string): string[] => text.split(" ");

/** Returns text as Node would return it in a header: decoded as Latin-1, without line breaks. */
export function headerValue(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "").trim();
}

/** Node's limit on the total length of a request's headers, in bytes. */
export const MAX_HEADER_LENGTH = 16 * 1024;
