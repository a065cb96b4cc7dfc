import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

/** Why no passkey came of it; the message is the sentence to show. */
class PasskeyError extends Error {}

const load = () => import("@simplewebauthn/browser");

/** Loads the library before it is wanted, since browsers show their dialog only soon after a click. */
export function preloadPasskeys(): void {
  load().catch(() => {});
}

/** Ends what waits for a passkey, such as the browser's suggestions below a field. */
export function stopAskingForPasskey(): void {
  load().then(
    ({ WebAuthnAbortService }) => WebAuthnAbortService.cancelCeremony(),
    () => {},
  );
}

/** Whether the browser suggests passkeys below the field of a form. */
export async function suggestsPasskeys(): Promise<boolean> {
  return (await load()).browserSupportsWebAuthnAutofill();
}

/**
 * Asks the site for a challenge and the browser for a passkey that answers it.
 *
 * @param inField the browser suggests its passkeys below the field, and waits until one is chosen.
 * @param isWanted asked once the challenge has come; when it is not, nothing else is disturbed.
 * @returns the field `passkey` of the form that is to be sent; undefined when something else was asked
 *   for meanwhile.
 * @throws {PasskeyError}
 */
export function answerWithPasskey(
  address: string,
  { inField = false, isWanted = () => true }: { inField?: boolean; isWanted?: () => boolean } = {},
): Promise<string | undefined> {
  return asked(async ({ startAuthentication }) => {
    const options = await challenge<PublicKeyCredentialRequestOptionsJSON>(address, {
      purpose: "confirm",
    });
    return isWanted()
      ? startAuthentication({ optionsJSON: options, useBrowserAutofill: inField })
      : undefined;
  });
}

/**
 * Lets the browser make a passkey.
 *
 * @param confirmation the fields that confirm who it is.
 * @returns as `answerWithPasskey`.
 * @throws {PasskeyError}
 */
export function createPasskey(
  address: string,
  confirmation: Record<string, string>,
): Promise<string | undefined> {
  return asked(async ({ startRegistration }) => {
    const options = await challenge<PublicKeyCredentialCreationOptionsJSON>(address, {
      purpose: "add",
      ...confirmation,
    });
    return startRegistration({ optionsJSON: options });
  });
}

async function asked(
  ask: (library: Awaited<ReturnType<typeof load>>) => Promise<unknown>,
): Promise<string | undefined> {
  try {
    return JSON.stringify(await ask(await load()));
  } catch (error) {
    const message = messageOf(error);
    if (message === undefined) return undefined;
    throw new PasskeyError(message, { cause: error });
  }
}

/** @throws {PasskeyError} with the site's own sentence. */
async function challenge<T>(address: string, fields: Record<string, string>): Promise<T> {
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams(fields) });
  const isJson = answer.headers.get("Content-Type")?.includes("json");
  if (answer.ok && isJson) return (await answer.json()) as T;
  // The form of somebody whose session has ended was led to the sign-in page.
  if (answer.redirected) throw new PasskeyError("Your session has ended. Sign in again.");
  throw new PasskeyError(isJson ? (await answer.json()).message : await answer.text());
}

/** By the names of https://www.w3.org/TR/webauthn-3/#sctn-privacy-considerations-client and the DOM. */
function messageOf(error: unknown): string | undefined {
  if (error instanceof PasskeyError) return error.message;
  switch ((error as { name?: string }).name) {
    case "AbortError":
      return undefined;
    case "NotAllowedError":
      return "No passkey was used. Try again, or sign in in another way.";
    case "InvalidStateError":
      return "This device has a passkey of this account already.";
    case "SecurityError":
      return "Passkeys don't work at this address of the site.";
    case "TypeError":
      return "The site can't be reached. Try again.";
    default:
      return "This browser could not use a passkey.";
  }
}
