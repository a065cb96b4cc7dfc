import { X } from "lucide-react";
import { type MouseEvent as ReactMouseEvent, useEffect, useState } from "react";
import { exitByShift } from "~/features/visitor/preferences";

/**
 * The target of Leave in the age dialog and of Exit this page. It is a blank page, so no request to another site is
 * needed.
 */
export const LEAVE_URL = "about:blank";

/**
 * The rules for Exit this page, taken from GOV.UK's design system
 * (https://design-system.service.gov.uk/components/exit-this-page/): the number of Shift presses, and the maximum time
 * between two of them.
 */
const PRESSES = 3;
const WINDOW_MS = 5_000;

/** Hides the page's content, then leaves and removes the page from the history. */
function leaveImmediately(): void {
  document.body.style.display = "none";
  document.title = "";
  for (const media of document.querySelectorAll<HTMLMediaElement>("video, audio")) media.pause();
  // The page is left even if there is unsaved input, because a confirmation dialog would defeat the purpose.
  window.addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), {
    capture: true,
  });
  window.location.replace(LEAVE_URL);
}

/** The Exit this page link. Without JavaScript, it is an ordinary link to the same URL. */
export function ExitLink({ className }: { className: string }) {
  function leave(event: ReactMouseEvent) {
    event.preventDefault();
    leaveImmediately();
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

/** Listens for Shift, and announces the number of remaining presses to screen readers. */
export function ExitByShift() {
  const isOn = exitByShift.use();
  const [message, setMessage] = useState("");

  useEffect(() => {
    if (!isOn) return;
    const stop = listenForShift({
      press: (left) =>
        setMessage(`Shift, press ${left} more ${left === 1 ? "time" : "times"} to exit.`),
      expire: () => setMessage("Exit this page expired."),
      exit: leaveImmediately,
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
 * Counts how often Shift is pressed alone. Any other key resets the count, and pressing Shift for a capital letter, a
 * shortcut or a click doesn't count.
 */
export function listenForShift(on: {
  press(left: number): void;
  expire(): void;
  exit(): void;
}): () => void {
  let presses = 0;
  /** Whether Shift has been used as a modifier since it was pressed. */
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
    // If a key is released while Shift is held, it was combined with Shift.
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
