import { useSubmit } from "@remix-run/react";
import { useCallback, useEffect, useState } from "react";
import { Button } from "../button";
import { useToast } from "../feedback/toast";
import { answerWithPasskey, stopAskingForPasskey, suggestsPasskeys } from "./ask-for-passkey";

const CHALLENGE_ADDRESS = "/auth/passkey";
/**
 * How often the challenge for the browser's suggestions is renewed. The interval is shorter than the challenge's
 * lifetime.
 */
const RENEW_AFTER_MS = 8 * 60 * 1000;

/**
 * Signs in with a passkey, using the button or the browser's suggestion below the email field.
 *
 * @param busy whether the form is being sent. If sending fails, suggestions are requested again.
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

  // Allow only one request at a time, because a suggestion would cancel the button's request.
  const isIdle = !asking && !busy;
  useEffect(() => {
    if (!isIdle) return;
    let gone = false;
    const isWanted = () => !gone;
    // Don't show errors of suggestions, because the user didn't request them.
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
        busyLabel="Waiting for your passkey…"
      >
        Sign in with a passkey
      </Button>
    </div>
  );
}
