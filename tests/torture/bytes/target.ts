import { AssertionError } from "node:assert";
import type { Grammar } from "../mutate";
import type { Random } from "../random";

/** A parser of untrusted input. */
export interface Target extends Grammar {
  name: string;
  /** Parses an input. Throws if something that must always be true isn't. */
  feed(input: string, random: Random): void | Promise<void>;
  /** CPU milliseconds that an input may take; by default, as long as the main thread may be blocked. */
  maxMs?: number;
  /** How often it is fed compared with other targets; less if each input needs a file. */
  share?: number;
}

/** Returns what `work` returns, or undefined if it throws an expected error. */
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

/** Resolves with what `work` resolves with, or undefined if it rejects with an expected error. */
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

/** Throws if a condition is false. `assert.ok` would read the source to quote the condition, and doesn't finish. */
export function assertTrue(
  condition: unknown,
  message = "the condition is false",
): asserts condition {
  if (!condition) throw new AssertionError({ message });
}

/** Splits a list of words at its spaces. */
export const words = (text: string): string[] => text.split(" ");

/** Returns a text as Node passes the value of a header: bytes as Latin-1, without line breaks. */
export function headerValue(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "").trim();
}

/** Node's limit for all headers of a request together, in bytes. */
export const MAX_HEADER_LENGTH = 16 * 1024;
