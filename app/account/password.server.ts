import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

/**
 * bcrypt at cost 12 takes about a third of a second of a whole core, so it runs on a thread of its
 * own: whatever is sent to /auth, the thread that serves pages never computes a hash.
 */

export const BCRYPT_COST = 12;
const LEAST_PASSWORD_CHARACTERS = 10;
/** bcrypt silently ignores what follows. */
const MOST_PASSWORD_BYTES = 72;
/** More than this waiting would keep the last one waiting for several seconds. */
const MOST_WAITING = 8;

/** What an account without a row is compared with, so that it takes the same time as one with. */
export const NOBODYS_HASH = "$2b$12$k.PUr1AfkmdnlHDx70CHh.i0fUb5NYZ2qy4zZo9ZS7/1Ncy0eaXSK";

/** A password that cannot be taken; its message is the sentence to show. */
export class PasswordError extends Error {}

/** More hashes are wanted than the machine can compute; worth another try in `retryAfterSeconds`. */
export class HashingBusyError extends Error {
  retryAfterSeconds = 5;
}

/** @throws {PasswordError} for a password that is too short or longer than bcrypt can read. */
export function requireGoodPassword(password: string): void {
  if ([...password].length < LEAST_PASSWORD_CHARACTERS) {
    throw new PasswordError(`A password needs at least ${LEAST_PASSWORD_CHARACTERS} characters.`);
  }
  if (Buffer.byteLength(password) > MOST_PASSWORD_BYTES) {
    throw new PasswordError(`A password may have at most ${MOST_PASSWORD_BYTES} bytes.`);
  }
}

/**
 * The bcrypt hash of a password.
 *
 * @throws {PasswordError} for one that cannot be taken, {HashingBusyError}.
 */
export async function hashPassword(password: string): Promise<string> {
  requireGoodPassword(password);
  return (await ask({ password })) as string;
}

/**
 * Whether a password is the one of the hash. Takes the same time when there is no hash.
 *
 * @throws {HashingBusyError}
 */
export async function checkPassword(password: string, hash: string | undefined): Promise<boolean> {
  const matches = await ask({ password, hash: hash ?? NOBODYS_HASH });
  const readWhole = Buffer.byteLength(password) <= MOST_PASSWORD_BYTES;
  return matches === true && hash !== undefined && readWhole;
}

interface Question {
  password: string;
  hash?: string;
}

// CommonJS text, because a bundled server has no file of its own for a worker to start from.
const WORKER = /* js */ `
  const { parentPort, workerData } = require("node:worker_threads");
  const bcrypt = require(workerData.bcryptjs);
  parentPort.on("message", ({ id, password, hash }) => {
    const answer = hash ? bcrypt.compareSync(password, hash) : bcrypt.hashSync(password, ${BCRYPT_COST});
    parentPort.postMessage({ id, answer });
  });
`;

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, PromiseWithResolversOf<string | boolean>>();

interface PromiseWithResolversOf<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

function ask(question: Question): Promise<string | boolean> {
  if (waiting.size >= MOST_WAITING) return Promise.reject(new HashingBusyError());
  worker ??= startWorker();
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker?.ref();
    worker?.postMessage({ id, ...question });
  });
}

function startWorker(): Worker {
  const bcryptjs = createRequire(import.meta.url).resolve("bcryptjs");
  const started = new Worker(WORKER, { eval: true, workerData: { bcryptjs } });
  started.on("message", ({ id, answer }: { id: number; answer: string | boolean }) => {
    waiting.get(id)?.resolve(answer);
    waiting.delete(id);
    // An idle worker must not keep a process alive that has nothing else to do.
    if (waiting.size === 0) started.unref();
  });
  started.on("error", (error) => {
    worker = undefined;
    for (const each of waiting.values()) each.reject(error);
    waiting.clear();
  });
  return started;
}
