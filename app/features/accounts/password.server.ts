import { FormError } from "~/platform/form-error.server";
import { childEnvironment, settings } from "~/platform/settings.server";
import { fold } from "~/shared/fold";
import { findExecutable } from "~/shared/program.server";
import { processState } from "~db/runtime.server";
import { createThread } from "~db/threads/thread.server";
import type { PasswordQuestion } from "./account-process.server";

/**
 * Hashing with bcrypt at cost 12 takes about a third of a second of CPU time, so it runs in a separate worker thread.
 * The thread that serves pages never computes a hash, no matter what is sent to /auth.
 */

const MIN_PASSWORD_LENGTH = 10;
/** Shorter parts of the email address and the site name occur by chance in other words. */
const MIN_KNOWN_WORD_LENGTH = 4;
/** The number of characters that a password needs in addition to words from the email address and the site name. */
const MIN_CHARACTERS_OUTSIDE_DICTIONARY = 8;
/** bcrypt silently ignores all further bytes. */
const MAX_PASSWORD_BYTES = 72;
/** With a longer queue, the last request would have to wait several seconds. */
const MAX_QUEUED = 8;
/** Prevents one IP address from filling the whole queue. */
const MAX_QUEUED_PER_CLIENT = 2;

/**
 * The hash that the password is compared with if the account doesn't exist, so that the response takes the same time.
 */
export const DUMMY_HASH = "$2b$12$k.PUr1AfkmdnlHDx70CHh.i0fUb5NYZ2qy4zZo9ZS7/1Ncy0eaXSK";

const RETRY_AFTER_SECONDS = 5;

/**
 * @throws {FormError} 422 for a password that is too short, or too long for bcrypt.
 */
function requireGoodPassword(password: string): void {
  if ([...password].length < MIN_PASSWORD_LENGTH) {
    throw new FormError(422, `Use a password with at least ${MIN_PASSWORD_LENGTH} characters.`);
  }
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    throw new FormError(422, `The password is too long. Use at most ${MAX_PASSWORD_BYTES} bytes.`);
  }
}

/**
 * Rejects the passwords that attackers try first: the site name or the email address plus a few more characters.
 * Applies to passwords chosen in the browser, not to those set by an operator.
 *
 * @throws {FormError} 422
 */
export function rejectGuessablePassword(password: string, email: string): void {
  const words = fold(`${settings().siteName} ${email}`)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= MIN_KNOWN_WORD_LENGTH)
    .sort((one, other) => other.length - one.length);
  const rest = words.reduce((text, word) => text.replaceAll(word, ""), fold(password));
  if (rest === fold(password) || [...rest].length >= MIN_CHARACTERS_OUTSIDE_DICTIONARY) return;
  throw new FormError(
    422,
    "This password is too easy to guess. It is too similar to your email address or the name of the site.",
  );
}

/**
 * Returns the bcrypt hash of a password.
 *
 * @throws {FormError} 422 for a password that is too short or too long, 429 if the queue is full.
 */
export async function hashPassword(password: string, requester: Requester): Promise<string> {
  requireGoodPassword(password);
  return (await enqueue({ password }, requester)) as string;
}

/**
 * Returns whether a password matches a hash. Takes the same time even if there is no hash.
 *
 * @throws {FormError} 429 if the queue is full.
 */
export async function checkPassword(
  password: string,
  hash: string | undefined,
  requester: Requester,
): Promise<boolean> {
  const matches = await enqueue({ password, hash: hash ?? DUMMY_HASH }, requester);
  const readWhole = Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
  return matches === true && hash !== undefined && readWhole;
}

/**
 * The user or stranger who requests a hash. Strangers never delay users who are signed in or whose browser has a device
 * cookie for the account.
 */
export interface Requester {
  /** The account or IP address whose share of the queue is limited. */
  name: string;
  isStranger: boolean;
  /** The number of failed sign-ins from a stranger's network. */
  failures: number;
}

/** Returns the requester for an account that is signed in, or that has signed in with this browser before. */
export function userRequester(userId: string): Requester {
  return { name: `user ${userId}`, isStranger: false, failures: 0 };
}

/**
 * @param failures the number of failed sign-ins from the address's network. Networks with fewer failures go first.
 */
export function strangerRequester(name: string, failures: number): Requester {
  return { name, isStranger: true, failures };
}

interface QueuedQuestion {
  question: PasswordQuestion;
  requester: Requester;
  resolve(answer: string | boolean): void;
  reject(error: unknown): void;
}

const hashing = processState(
  "password thread",
  () => ({
    thread: createThread("password", findExecutable("account-process", import.meta.url), {
      env: childEnvironment(),
    }),
    computing: undefined as QueuedQuestion | undefined,
    queue: [] as QueuedQuestion[],
  }),
  ({ thread }) => thread.terminate(),
);

function enqueue(question: PasswordQuestion, requester: Requester): Promise<string | boolean> {
  return new Promise((resolve, reject) => {
    if (!hasRoom(requester)) return reject(tooBusy(requester));
    hashing().queue.push({ question, requester, resolve, reject });
    void computeNext();
  });
}

/**
 * Returns whether the queue has room for a request. Strangers and known users have separate limits. A stranger from a
 * network with fewer failures displaces one from a network with more, so that a few busy networks can't lock everyone
 * else out.
 */
function hasRoom({ name, isStranger, failures }: Requester): boolean {
  const state = hashing();
  const all = [...(state.computing ? [state.computing] : []), ...state.queue];
  const alike = all.filter(({ requester }) => requester.isStranger === isStranger);
  if (alike.filter(({ requester }) => requester.name === name).length >= MAX_QUEUED_PER_CLIENT)
    return false;
  if (alike.length < MAX_QUEUED) return true;
  const last = sortByPriority(
    state.queue.filter(({ requester }) => requester.isStranger === isStranger),
  ).at(-1);
  if (!last || last.requester.failures <= failures) return false;
  state.queue = state.queue.filter((each) => each !== last);
  last.reject(tooBusy(last.requester));
  return true;
}

function tooBusy({ isStranger }: Requester): FormError {
  const why = isStranger ? "Too many people are signing in." : "The site is busy.";
  return new FormError(429, `${why} Try again in a few seconds.`, RETRY_AFTER_SECONDS);
}

/**
 * Returns the requests in the order in which they will be processed. The sort is stable, so requests with equal
 * priority are handled in the order in which they arrived.
 */
function sortByPriority(queue: readonly QueuedQuestion[]): QueuedQuestion[] {
  const rank = ({ requester }: QueuedQuestion) => (requester.isStranger ? requester.failures : -1);
  return queue.toSorted((one, other) => rank(one) - rank(other));
}

async function computeNext(): Promise<void> {
  const state = hashing();
  if (state.computing) return;
  const [next] = sortByPriority(state.queue);
  if (!next) return;
  state.computing = next;
  state.queue = state.queue.filter((each) => each !== next);
  await state.thread.request<string | boolean>(next.question).then(next.resolve, next.reject);
  state.computing = undefined;
  void computeNext();
}
