import { useNavigate, useSubmit } from "@remix-run/react";
import { type KeyboardEvent, useState } from "react";
import { type ManageView, manageHref } from "./manage-address";
import type { ManagedVideo } from "./managed-video";
import type { Selection } from "./use-selection";

/** What answers to its own keys: there, Space presses it and a letter is typed. */
const INTERACTIVE = "a, button, input, select, textarea";

/**
 * The keyboard of the list: the arrows move from row to row, Space selects, E edits, H hides or
 * shows, Delete deletes. One row at a time is in the tab order (a roving tabindex).
 */
export function useListKeys(
  videos: readonly ManagedVideo[],
  view: ManageView,
  selection: Selection,
) {
  const navigate = useNavigate();
  const submit = useSubmit();
  const [current, setCurrent] = useState(0);
  const active = Math.min(current, videos.length - 1);

  function act(key: string, video: ManagedVideo): boolean {
    switch (key) {
      case " ":
        selection.toggle(video.id);
        return true;
      case "e":
      case "E":
        navigate(manageHref(view, { edit: video.id }), { preventScrollReset: true });
        return true;
      case "h":
      case "H":
        submit(
          { intent: "toggle", id: video.id, expectedStatus: video.status },
          { method: "post", action: manageHref(view), preventScrollReset: true },
        );
        return true;
      case "s":
      case "S":
        navigate(manageHref(view, { schedule: video.id }), { preventScrollReset: true });
        return true;
      case "Delete":
        navigate(manageHref(view, { delete: video.id }), { preventScrollReset: true });
        return true;
      default:
        return false;
    }
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("tr")];
    const row = target.closest("tr");
    const index = row ? rows.indexOf(row) : -1;
    const video = videos[index];
    const next = moved(event.key, index, videos.length);
    if (next !== undefined) {
      event.preventDefault();
      rows[next]?.focus();
      return;
    }
    if (video && !target.matches(INTERACTIVE) && act(event.key, video)) event.preventDefault();
  }

  return { active, setActive: setCurrent, onKeyDown };
}

function moved(key: string, from: number, length: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return Math.min(from + 1, length - 1);
    case "ArrowUp":
      return Math.max(from - 1, 0);
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return undefined;
  }
}
