import { X } from "lucide-react";
import { type MouseEvent as ReactMouseEvent, useEffect, useState } from "react";
import { exitByShift } from "~/features/visitor/preferences";

/** Where Leave of the age dialog and Exit this page lead: nowhere, and without asking another site. */
export const LEAVE_URL = "about:blank";

/**
 * Exit this page, as GOV.UK's design system has it
 * (https://design-system.service.gov.uk/components/exit-this-page/): Shift pressed so often, with less
 * than so long between two presses.
 */
const PRESSES = 3;
const WINDOW_MS = 5_000;

/** Leaves without an entry for this page in the history. What is on the screen goes first. */
function leaveAtOnce(): void {
  document.body.style.display = "none";
  document.title = "";
  for (const media of document.querySelectorAll<HTMLMediaElement>("video, audio")) media.pause();
  // Whatever is unsent: nobody who is looked at over the shoulder wants to be asked.
  window.addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), {
    capture: true,
  });
  window.location.replace(LEAVE_URL);
}

/** Without scripts a plain link to the same address. */
export function ExitLink({ className }: { className: string }) {
  function leave(event: ReactMouseEvent) {
    event.preventDefault();
    leaveAtOnce();
  }
  return (
    <a href={LEAVE_URL} rel="noreferrer" className={className} onClick={leave}>
      <X aria-hidden="true" className="size-4 bar:hidden" />
      <span>
        Exit<span className="bar:sr-only"> this page</span>
      </span>
    </a>
  );
}

/** Listens for the key, and says to a screen reader how often it is still to be pressed. */
export function ExitByShift() {
  const isOn = exitByShift.use();
  const [message, setMessage] = useState("");

  useEffect(() => {
    if (!isOn) return;
    const stop = listenForShift({
      press: (left) =>
        setMessage(`Shift, press ${left} more ${left === 1 ? "time" : "times"} to exit.`),
      expire: () => setMessage("Exit this page expired."),
      exit: leaveAtOnce,
    });
    return () => {
      stop();
      setMessage("");
    };
  }, [isOn]);

  return (
    <p aria-live="polite" className="sr-only">
      {message}
    </p>
  );
}

/**
 * Counts how often Shift is pressed by itself. Another key begins anew; held for a capital letter, a
 * shortcut or a click, it does not count.
 */
export function listenForShift(on: {
  press(left: number): void;
  expire(): void;
  exit(): void;
}): () => void {
  let presses = 0;
  /** Since Shift was pressed, something else was done with it. */
  let isModifier = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const reset = () => {
    clearTimeout(timer);
    if (presses > 0) on.expire();
    presses = 0;
  };
  const onKeyUp = (event: KeyboardEvent) => {
    const alone = !isModifier && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (event.key === "Shift" && alone) {
      clearTimeout(timer);
      presses += 1;
      if (presses < PRESSES) {
        on.press(PRESSES - presses);
        timer = setTimeout(reset, WINDOW_MS);
      } else {
        presses = 0;
        on.exit();
      }
    } else reset();
    // The key that goes up while Shift is held was meant with it.
    isModifier = event.shiftKey;
  };
  const onPointer = (event: MouseEvent) => {
    if (event.shiftKey) isModifier = true;
    reset();
  };

  document.addEventListener("keyup", onKeyUp);
  document.addEventListener("pointerdown", onPointer);
  document.addEventListener("wheel", onPointer, { passive: true });
  return () => {
    clearTimeout(timer);
    document.removeEventListener("keyup", onKeyUp);
    document.removeEventListener("pointerdown", onPointer);
    document.removeEventListener("wheel", onPointer);
  };
}
