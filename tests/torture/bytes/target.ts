import { AssertionError } from "node:assert";
import type { Grammar } from "../mutate";
import type { Random } from "../random";

/** A parser of untrusted input. */
export interface Target extends Grammar {
  name: string;
  /** Parses an input. Throws an error if an invariant is broken. */
  feed(input: string, random: Random): void | Promise<void>;
  /**
   * The CPU time in milliseconds that an input may take. By default, this is the time for which the main thread may be
   * blocked.
   */
  maxMs?: number;
  /** How often this parser is tested compared with others. The share is lower if each input needs a file. */
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
 * Throws an error if a condition is false. `assert.ok` isn't used, because it reads the source file to quote the
 * condition, and that never finishes.
 */
export function assertTrue(
  condition: unknown,
  message = "the condition is false",
): asserts condition {
  if (!condition) throw new AssertionError({ message });
}

/** Splits a list of words at spaces. */
export const words = (text: string): string[] => text.split(" ");

/** Returns text in the form in which Node would pass a header's value: bytes as Latin-1, without line breaks. */
export function headerValue(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "").trim();
}

/** Node's limit on the total length of a request's headers, in bytes. */
export const MAX_HEADER_LENGTH = 16 * 1024;
