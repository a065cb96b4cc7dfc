import { useBlocker } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { useListener } from "../use-listener";

/**
 * Prompts before unsaved work is lost, however the page is left: a link, Back, a dialog's Escape, a closed tab.
 *
 * @param question the prompt when this path is navigated to; undefined when nothing would be
 *   lost. Called at that moment, so it may read what is typed from the form.
 * @param onLeave called when the answer was yes.
 */
export function useLeaveWarning(
  question: (nextPath?: string) => string | undefined,
  onLeave?: () => void,
): void {
  const currentQuestion = useRef(question);
  currentQuestion.current = question;
  useListener("window", "beforeunload", (event) => {
    if (question() !== undefined) event.preventDefault();
  });

  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname + currentLocation.search !==
        nextLocation.pathname + nextLocation.search &&
      currentQuestion.current(nextLocation.pathname) !== undefined,
  );
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    const asked = currentQuestion.current(blocker.location.pathname);
    if (asked === undefined || window.confirm(asked)) {
      onLeave?.();
      blocker.proceed();
    } else blocker.reset();
  }, [blocker, onLeave]);
}

const UNSAVED = "Your changes are not saved. Leave them all the same?";

/**
 * Prompts before what was typed into a form is lost, unless it is being sent.
 *
 * @param isRefused it was shown with what was sent, which isn't saved either.
 * @returns what the form is given.
 */
export function useUnsavedWarning(busy: boolean, isRefused: boolean) {
  const ref = useRef<HTMLFormElement>(null);
  const sending = useRef(false);
  useLeaveWarning(() =>
    !sending.current && (isRefused || isChanged(ref.current)) ? UNSAVED : undefined,
  );
  useEffect(() => {
    if (!busy) sending.current = false;
  }, [busy]);
  const onSubmit = () => {
    sending.current = true;
  };
  return { ref, onSubmit };
}

/** Whether something of a form was typed or chosen since it was shown. */
export function isChanged(form: HTMLFormElement | null): boolean {
  return [...(form?.elements ?? [])].some((control) => {
    // The value of a text control has the line ends of the browser, its default those of the row.
    if (control instanceof HTMLTextAreaElement) {
      return control.value !== control.defaultValue.replaceAll(/\r\n?/g, "\n");
    }
    if (control instanceof HTMLSelectElement) {
      const options = [...control.options];
      const initial = options.findIndex((option) => option.defaultSelected);
      return control.selectedIndex !== Math.max(0, initial);
    }
    if (!(control instanceof HTMLInputElement) || control.type === "hidden") return false;
    if (control.type === "file") return (control.files?.length ?? 0) > 0;
    if (control.type === "checkbox" || control.type === "radio") {
      return control.checked !== control.defaultChecked;
    }
    return control.value !== control.defaultValue.replaceAll(/[\r\n]/g, "");
  });
}
