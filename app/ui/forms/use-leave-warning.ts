import { useBlocker } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { useListener } from "../use-listener";

/**
 * Asks for confirmation before unsaved work is lost, no matter how the user leaves the page: by following a link, going
 * back, closing a dialog with Escape, or closing the tab.
 *
 * @param question returns the prompt to show before navigating to a path, or undefined if nothing would be lost. It is
 * called during the navigation, so it can read the form.
 * @param onLeave called if the user confirms.
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
    const warning = currentQuestion.current(blocker.location.pathname);
    if (warning === undefined || window.confirm(warning)) {
      onLeave?.();
      blocker.proceed();
    } else blocker.reset();
  }, [blocker, onLeave]);
}

const UNSAVED = "You have unsaved changes. Leave anyway?";

/**
 * Asks for confirmation before changes to a form are lost, unless the form is being sent.
 *
 * @param isRefused whether the form shows rejected values, which haven't been saved either.
 * @returns the props for the form.
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

/** Whether a form has been changed since it was shown. */
export function isChanged(form: HTMLFormElement | null): boolean {
  return [...(form?.elements ?? [])].some((control) => {
    // A text control's value has normalized line endings, but its default value has those from the database.
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
