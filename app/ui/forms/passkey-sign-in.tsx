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
 * @param busy something is being sent already. Afterwards, if it failed, there is something new to suggest.
 */
export function PasskeySignIn({ busy }: { busy: boolean }) {
  const submit = useSubmit();
  const show = useToast();
  const [asking, setAsking] = useState(false);
  const signIn = useCallback(
    async (options?: { inField: boolean; isWanted: () => boolean }) => {
      const passkey = await answerWithPasskey(CHALLENGE_ADDRESS, options);
      if (passkey) submit({ passkey }, { method: "post", action: "/auth" });
    },
    [submit],
  );

  // One asks at a time, and a suggestion would end what the button asks for.
  const isIdle = !asking && !busy;
  useEffect(() => {
    if (!isIdle) return;
    let gone = false;
    const isWanted = () => !gone;
    // What goes wrong with a suggestion that nobody asked for is not said.
    const suggest = () =>
      suggestsPasskeys()
        .then((can) => (can && isWanted() ? signIn({ inField: true, isWanted }) : undefined))
        .catch(() => {});
    suggest();
    const timer = setInterval(suggest, RENEW_AFTER_MS);
    return () => {
      gone = true;
      clearInterval(timer);
      stopAskingForPasskey();
    };
  }, [signIn, isIdle]);

  const press = async () => {
    setAsking(true);
    try {
      await signIn();
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
