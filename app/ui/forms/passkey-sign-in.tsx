import { useSubmit } from "@remix-run/react";
import { useCallback, useEffect, useState } from "react";
import { Button } from "../button";
import { useToast } from "../feedback/toast";
import { answerWithPasskey, stopAskingForPasskey, suggestsPasskeys } from "./ask-for-passkey";

const CHALLENGE_ADDRESS = "/auth/passkey";
/** Before the challenge ends that the browser's suggestions answer. */
const RENEW_AFTER_MS = 8 * 60 * 1000;

/**
 * Signs in with a passkey: by the button, or by one that the browser suggests below the e-mail field.
 *
 * @param answer of the last attempt: after a failed one there is something new to suggest.
 */
export function PasskeySignIn({ answer, busy }: { answer: unknown; busy: boolean }) {
  const submit = useSubmit();
  const show = useToast();
  const [asking, setAsking] = useState(false);
  const signIn = useCallback(
    async (inField: boolean) => {
      const passkey = await answerWithPasskey(CHALLENGE_ADDRESS, { inField });
      if (passkey) submit({ passkey }, { method: "post", action: "/auth" });
    },
    [submit],
  );

  useEffect(() => {
    let gone = false;
    // What goes wrong with a suggestion that nobody asked for is not said.
    const suggest = () =>
      suggestsPasskeys()
        .then((can) => (can && !gone ? signIn(true) : undefined))
        .catch(() => {});
    suggest();
    const timer = setInterval(suggest, RENEW_AFTER_MS);
    return () => {
      gone = true;
      clearInterval(timer);
      stopAskingForPasskey();
    };
  }, [signIn, answer]);

  const press = async () => {
    setAsking(true);
    try {
      await signIn(false);
    } catch (error) {
      show({ title: "Error", description: (error as Error).message, kind: "error" });
    } finally {
      setAsking(false);
    }
  };
  return (
    <div className="flex flex-col gap-5 scriptless:hidden">
      <p className="text-center text-sm text-muted">or</p>
      <Button
        type="button"
        variant="secondary"
        className="w-full"
        onClick={press}
        busy={asking || busy}
        busyLabel="Waiting for your passkey..."
      >
        Sign in with a passkey
      </Button>
    </div>
  );
}
