import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

/** Thrown if a request for a passkey failed. The message is shown to the user. */
class PasskeyError extends Error {}

const load = () => import("@simplewebauthn/browser");

/** Preloads the library, because browsers show their dialog only if it is requested shortly after a click. */
export function preloadPasskeys(): void {
  load().catch(() => {});
}

/** Cancels a pending request for a passkey, such as the browser's suggestions below a field. */
export function stopAskingForPasskey(): void {
  load().then(
    ({ WebAuthnAbortService }) => WebAuthnAbortService.cancelCeremony(),
    () => {},
  );
}

/** Whether the browser can suggest passkeys below a form field. */
export async function suggestsPasskeys(): Promise<boolean> {
  return (await load()).browserSupportsWebAuthnAutofill();
}

/**
 * Requests a challenge from the site, and then a passkey response to that challenge from the browser.
 *
 * @param inField whether the browser suggests passkeys below the field and waits until the user chooses one.
 * @param isWanted called once the challenge has arrived. If it returns false, no passkey is requested from the browser.
 * @returns the `passkey` field for the form, or undefined if another request has been started in the meantime.
 * @throws {PasskeyError}
 */
export function answerWithPasskey(
  address: string,
  { inField = false, isWanted = () => true }: { inField?: boolean; isWanted?: () => boolean } = {},
): Promise<string | undefined> {
  return askBrowser(async ({ startAuthentication }) => {
    const options = await challenge<PublicKeyCredentialRequestOptionsJSON>(address, {
      purpose: "confirm",
    });
    return isWanted()
      ? startAuthentication({ optionsJSON: options, useBrowserAutofill: inField })
      : undefined;
  });
}

/**
 * Lets the browser create a passkey.
 *
 * @param confirmation the fields that confirm the user's identity.
 * @returns the same as `answerWithPasskey`.
 * @throws {PasskeyError}
 */
export function createPasskey(
  address: string,
  confirmation: Record<string, string>,
): Promise<string | undefined> {
  return askBrowser(async ({ startRegistration }) => {
    const options = await challenge<PublicKeyCredentialCreationOptionsJSON>(address, {
      purpose: "add",
      ...confirmation,
    });
    return startRegistration({ optionsJSON: options });
  });
}

async function askBrowser(
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

/** @throws {PasskeyError} with the site's message. */
async function challenge<T>(address: string, fields: Record<string, string>): Promise<T> {
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams(fields) });
  const isJson = answer.headers.get("Content-Type")?.includes("json");
  if (answer.ok && isJson) return (await answer.json()) as T;
  // If the session has ended, the request is redirected to the sign-in page.
  if (answer.redirected) throw new PasskeyError("Your session has ended. Sign in again.");
  throw new PasskeyError(isJson ? (await answer.json()).message : await answer.text());
}

/** Returns the message for a DOM error name (https://www.w3.org/TR/webauthn-3/#sctn-privacy-considerations-client). */
function messageOf(error: unknown): string | undefined {
  if (error instanceof PasskeyError) return error.message;
  switch ((error as { name?: string }).name) {
    case "AbortError":
      return undefined;
    case "NotAllowedError":
      return "No passkey was used. Try again, or sign in another way.";
    case "InvalidStateError":
      return "This device already has a passkey for this account.";
    case "SecurityError":
      return "Passkeys don't work at this URL.";
    case "TypeError":
      return "The site can't be reached. Try again.";
    default:
      return "This browser couldn't use a passkey.";
  }
}
