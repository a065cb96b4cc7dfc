import type * as Library from "@simplewebauthn/server";
import { childEnvironment } from "~/platform/settings.server";
import { findProgram } from "~/shared/program.server";
import { createThread } from "~db/threads/thread.server";
import type { PasskeyCheck } from "../account-program.server";

/** An answer of an authenticator that proves nothing; the message is the library's, not for people. */
export class VerificationError extends Error {}

type Options<C extends PasskeyCheck> = Parameters<(typeof Library)[C]>[0];
type Result<C extends PasskeyCheck> = Awaited<ReturnType<(typeof Library)[C]>>;

/**
 * Calls a function of @simplewebauthn/server. The library takes 0.3 s of CPU time and 26 MB to load. Passkeys are used
 * a few times a day, so each answer is verified in its own thread: pages don't wait, and the memory is freed.
 *
 * @throws {VerificationError} when the library refuses the answer.
 */
export async function verify<C extends PasskeyCheck>(
  check: C,
  options: Options<C>,
): Promise<Result<C>> {
  const program = findProgram("account-program", import.meta.url, "../account-program.server.ts");
  const thread = createThread("passkey", program, { env: childEnvironment() });
  try {
    const { value, refused } = await thread.ask<{ value?: Result<C>; refused?: string }>({
      check,
      options,
    });
    if (!value?.verified) throw new VerificationError(refused ?? "The signature is not right.");
    return value;
  } finally {
    await thread.terminate();
  }
}
