import { FormError } from "~/platform/form-error.server";
import { childEnvironment, settings } from "~/platform/settings.server";
import { fold } from "~/shared/fold";
import { findExecutable } from "~/shared/program.server";
import { processState } from "~db/runtime.server";
import { createThread } from "~db/threads/thread.server";
import type { PasswordQuestion } from "./account-process.server";

/**
 * bcrypt at cost 12 takes about a third of a second of a whole core, so it runs on a thread of its
 * own: whatever is sent to /auth, the thread that serves pages never computes a hash.
 */

const MIN_PASSWORD_LENGTH = 10;
/** Of what everybody knows, shorter words are parts of others. */
const SHORTEST_KNOWN_WORD = 4;
/** What a password has beside such words. */
const MIN_CHARACTERS_OUTSIDE_DICTIONARY = 8;
/** bcrypt silently ignores what follows. */
const MAX_PASSWORD_BYTES = 72;
/** More than this waiting would keep the last one waiting for several seconds. */
const MAX_QUEUED = 8;
/** Of one asker, so that no address has the whole queue to itself. */
const MAX_QUEUED_PER_CLIENT = 2;

/** What an account without a row is compared with, so that it takes the same time as one with. */
export const NOBODYS_HASH = "$2b$12$k.PUr1AfkmdnlHDx70CHh.i0fUb5NYZ2qy4zZo9ZS7/1Ncy0eaXSK";

const RETRY_AFTER_SECONDS = 5;

/** @throws {FormError} 422 for a password that is too short or longer than bcrypt can read. */
function requireGoodPassword(password: string): void {
  if ([...password].length < MIN_PASSWORD_LENGTH) {
    throw new FormError(422, `A password needs at least ${MIN_PASSWORD_LENGTH} characters.`);
  }
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    throw new FormError(422, `A password may have at most ${MAX_PASSWORD_BYTES} bytes.`);
  }
}

/**
 * Refuses what is tried first: the name of the site or the account's address with a little more. For those
 * who choose a password in the browser; what an operator sets is theirs.
 *
 * @throws {FormError} 422
 */
export function requireUnguessable(password: string, email: string): void {
  const words = fold(`${settings().siteName} ${email}`)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= SHORTEST_KNOWN_WORD)
    .sort((one, other) => other.length - one.length);
  const rest = words.reduce((text, word) => text.replaceAll(word, ""), fold(password));
  if (rest === fold(password) || [...rest].length >= MIN_CHARACTERS_OUTSIDE_DICTIONARY) return;
  throw new FormError(
    422,
    "This password is little more than your address or the name of the site, which is tried first.",
  );
}

/**
 * The bcrypt hash of a password.
 *
 * @throws {FormError} 422 for one that cannot be taken, 429 if more hashes are wanted than the machine can compute.
 */
export async function hashPassword(password: string, asker: Asker): Promise<string> {
  requireGoodPassword(password);
  return (await ask({ password }, asker)) as string;
}

/**
 * Whether a password is the one of the hash. Takes the same time when there is no hash.
 *
 * @throws {FormError} 429 as `hashPassword`.
 */
export async function checkPassword(
  password: string,
  hash: string | undefined,
  asker: Asker,
): Promise<boolean> {
  const matches = await ask({ password, hash: hash ?? NOBODYS_HASH }, asker);
  const readWhole = Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
  return matches === true && hash !== undefined && readWhole;
}

/** Who waits for a hash. Strangers never delay people who are signed in, or whose browser has a mark of the account. */
export interface Asker {
  /** An account or an address: nobody has the whole queue. */
  name: string;
  isStranger: boolean;
  /** The failed sign-ins of a stranger's network. */
  failures: number;
}

/** An account that is signed in, or was in this browser. */
export function userAsker(userId: string): Asker {
  return { name: `user ${userId}`, isStranger: false, failures: 0 };
}

/** @param failures the failed sign-ins of the address's network: networks with fewer go first. */
export function strangerAsker(name: string, failures: number): Asker {
  return { name, isStranger: true, failures };
}

interface Waiting {
  question: PasswordQuestion;
  asker: Asker;
  resolve(answer: string | boolean): void;
  reject(error: unknown): void;
}

const hashing = processState(
  "password thread",
  () => ({
    thread: createThread("password", findExecutable("account-process", import.meta.url), {
      env: childEnvironment(),
    }),
    computing: undefined as Waiting | undefined,
    queue: [] as Waiting[],
  }),
  ({ thread }) => thread.terminate(),
);

function ask(question: PasswordQuestion, asker: Asker): Promise<string | boolean> {
  return new Promise((resolve, reject) => {
    if (!hasRoom(asker)) return reject(tooBusy(asker));
    hashing().queue.push({ question, asker, resolve, reject });
    void computeNext();
  });
}

/**
 * Whether one more may wait. Strangers and others each have a queue's length of their own. A stranger from a network
 * with fewer failures takes the place of one with more, so that a few busy networks can't keep all others out.
 */
function hasRoom({ name, isStranger, failures }: Asker): boolean {
  const state = hashing();
  const all = [...(state.computing ? [state.computing] : []), ...state.queue];
  const alike = all.filter(({ asker }) => asker.isStranger === isStranger);
  if (alike.filter(({ asker }) => asker.name === name).length >= MAX_QUEUED_PER_CLIENT)
    return false;
  if (alike.length < MAX_QUEUED) return true;
  const last = inOrder(state.queue.filter(({ asker }) => asker.isStranger === isStranger)).at(-1);
  if (!last || last.asker.failures <= failures) return false;
  state.queue = state.queue.filter((each) => each !== last);
  last.reject(tooBusy(last.asker));
  return true;
}

function tooBusy({ isStranger }: Asker): FormError {
  const why = isStranger ? "Too many people are signing in." : "The site is busy.";
  return new FormError(429, `${why} Try again in a few seconds.`, RETRY_AFTER_SECONDS);
}

/** In the order in which they are computed. Sorting keeps the order of arrival among equals. */
function inOrder(queue: readonly Waiting[]): Waiting[] {
  const rank = ({ asker }: Waiting) => (asker.isStranger ? asker.failures : -1);
  return queue.toSorted((one, other) => rank(one) - rank(other));
}

async function computeNext(): Promise<void> {
  const state = hashing();
  if (state.computing) return;
  const [next] = inOrder(state.queue);
  if (!next) return;
  state.computing = next;
  state.queue = state.queue.filter((each) => each !== next);
  await state.thread.request<string | boolean>(next.question).then(next.resolve, next.reject);
  state.computing = undefined;
  void computeNext();
}
