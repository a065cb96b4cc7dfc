import { once } from "node:events";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type * as Library from "@simplewebauthn/server";
import { childEnvironment } from "~/server/settings.server";

/**
 * The library takes 0.3 s of a processor and 26 MB to load. Passkeys are used a few times a day, so
 * each answer is verified on a thread that ends with it: pages don't wait, and the memory comes back.
 */

// CommonJS text, because a bundled server has no file of its own for a worker to start from.
const WORKER = /* js */ `
  const { parentPort, workerData } = require("node:worker_threads");
  const library = require(workerData.library);
  library[workerData.check](workerData.options)
    .then((value) => parentPort.postMessage({ value }))
    .catch((error) => parentPort.postMessage({ refused: error.message }));
`;

/** An answer of an authenticator that proves nothing; the message is the library's, not for people. */
export class VerificationError extends Error {}

type Check = "verifyRegistrationResponse" | "verifyAuthenticationResponse";
type Options<C extends Check> = Parameters<(typeof Library)[C]>[0];
type Result<C extends Check> = Awaited<ReturnType<(typeof Library)[C]>>;

/**
 * Calls a function of @simplewebauthn/server.
 *
 * @throws {VerificationError} when it refuses the answer.
 */
export async function verify<C extends Check>(check: C, options: Options<C>): Promise<Result<C>> {
  const library = createRequire(import.meta.url).resolve("@simplewebauthn/server");
  const workerData = { library, check, options };
  const worker = new Worker(WORKER, { eval: true, workerData, env: childEnvironment() });
  try {
    const [{ value, refused }] = (await Promise.race([
      once(worker, "message"),
      once(worker, "exit").then(() => {
        throw new Error("The thread that checks passkeys ended.");
      }),
    ])) as [{ value?: Result<C>; refused?: string }];
    if (!value?.verified) throw new VerificationError(refused ?? "The signature is not right.");
    return value;
  } finally {
    await worker.terminate();
  }
}
