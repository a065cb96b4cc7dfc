import { type RefObject, useEffect } from "react";
import type { DeskDecision } from "./decisions";

/** The key that chooses each decision. */
export const DECISION_KEYS: Record<DeskDecision, string> = {
  hide: "h",
  keep: "k",
  remove: "r",
  restore: "b",
  "counter-notice": "c",
  "not-here": "n",
  ask: "a",
};

/** Elements in which letters are typed, and dialogs. */
const TYPING = 'input:not([type="radio"], [type="checkbox"]), select, textarea, dialog';

/** Lets letter keys choose a decision, and moves the focus to the reason. */
export function useDecisionKeys(form: RefObject<HTMLFormElement>): void {
  useEffect(() => {
    const choose = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (event.target instanceof Element && event.target.closest(TYPING)) return;
      const choices = form.current?.querySelectorAll<HTMLInputElement>('input[name="decision"]');
      const chosen = [...(choices ?? [])].find(
        ({ value }) => DECISION_KEYS[value as DeskDecision] === event.key.toLowerCase(),
      );
      if (!chosen) return;
      event.preventDefault();
      chosen.checked = true;
      form.current?.querySelector("textarea")?.focus();
    };
    window.addEventListener("keydown", choose);
    return () => window.removeEventListener("keydown", choose);
  }, [form]);
}
