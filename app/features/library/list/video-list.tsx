import "./video-list.css";
import { useNavigate, useSearchParams, useSubmit } from "@remix-run/react";
import { type KeyboardEvent as ReactKeyboardEvent, useEffect, useState } from "react";
import type { ConsentState } from "~/features/consent/consent";
import type { JobSummary } from "~/features/processing/queue/kinds";
import { Dialog } from "~/ui/dialog";
import { useHydrated } from "~/ui/use-hydrated";
import type { ManagedVideo } from "../managed-video";
import type { SimilarVideo } from "../similar-videos.server";
import { COLUMN_LABELS, COLUMNS, type Column, type ManageView, manageHref } from "./manage-address";
import type { Selection } from "./selection";
import { VideoRow } from "./video-row";

/** The columns with right-aligned numbers. */
const FIGURES: readonly Column[] = ["duration", "views", "size"];

/** The list of videos. Its stylesheet shows a table on wide screens, and cards on phones or with large text. */
export function VideoList({
  videos,
  jobs,
  similar,
  resemblingBlocked,
  held,
  consent,
  view,
  selection,
  now,
}: {
  videos: ManagedVideo[];
  jobs: Record<string, JobSummary>;
  similar: Record<string, SimilarVideo[]>;
  resemblingBlocked: readonly string[];
  /** The reasons why videos on hold can't be published, by video id. */
  held: Record<string, string>;
  /** The consent states by video id, if records are required. */
  consent: Record<string, ConsentState>;
  view: ManageView;
  selection: Selection;
  now: number;
}) {
  const hydrated = useHydrated();
  const columns = view.columns ?? COLUMNS;
  const keys = useListKeys(videos, view, selection);
  const isWholePage = selection.ids.size === videos.length;
  return (
    <div className="video-list-frame flex flex-col gap-5">
      <table className="video-list" aria-label="Videos">
        <thead>
          <tr>
            <th scope="col" className="video-list-select">
              {hydrated ? (
                <label>
                  <input
                    type="checkbox"
                    aria-label="Select all videos on this page"
                    checked={isWholePage}
                    ref={(box) => {
                      if (box) box.indeterminate = !isWholePage && selection.ids.size > 0;
                    }}
                    onChange={selection.togglePage}
                  />
                  <span>Select all</span>
                </label>
              ) : (
                <span className="sr-only">Select</span>
              )}
            </th>
            <th scope="col">Video</th>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className={FIGURES.includes(column) ? "video-list-figures" : undefined}
              >
                {COLUMN_LABELS[column]}
              </th>
            ))}
            <th scope="col">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody onKeyDown={keys.onKeyDown}>
          {videos.map((video, index) => (
            <VideoRow
              key={video.id}
              video={video}
              jobs={jobs[video.id]}
              similar={similar[video.id]}
              resemblesBlocked={resemblingBlocked.includes(video.id)}
              held={held[video.id]}
              consent={consent[video.id]}
              view={view}
              now={now}
              selected={hydrated ? selection.ids.has(video.id) : undefined}
              onSelect={() => selection.toggle(video.id)}
              tabIndex={hydrated ? (index === keys.active ? 0 : -1) : undefined}
              onFocus={() => keys.setActive(index)}
            />
          ))}
        </tbody>
      </table>
      {hydrated && (
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted @max-[58rem]/videos:hidden">
          {KEYS.map(([key, description]) => (
            <span key={key}>
              <kbd className="rounded-sm border border-line px-1.5 py-0.5 font-sans">{key}</kbd>{" "}
              {description}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** The dialogs that have a keyboard shortcut. */
const DIALOGS: Record<string, string> = { e: "edit", s: "schedule", delete: "delete" };

/** Elements that handle keys themselves, because Space activates them or users type into them. */
const INTERACTIVE = "a, button, input, select, textarea";

/**
 * Handles the keyboard shortcuts in the list: arrow keys move between rows, Space selects, E edits, H hides or shows, S
 * schedules, and Delete deletes. One row at a time is in the tab order (a roving tabindex).
 */
function useListKeys(videos: readonly ManagedVideo[], view: ManageView, selection: Selection) {
  const navigate = useNavigate();
  const submit = useSubmit();
  const [current, setCurrent] = useState(0);
  const active = Math.min(current, videos.length - 1);

  function act(key: string, video: ManagedVideo): boolean {
    if (key === " ") selection.toggle(video.id);
    else if (key === "h") {
      submit(
        { intent: "toggle", id: video.id, expectedStatus: video.status },
        { method: "post", action: manageHref(view), preventScrollReset: true },
      );
    } else {
      const dialog = DIALOGS[key];
      if (!dialog) return false;
      navigate(manageHref(view, { [dialog]: video.id }), { preventScrollReset: true });
    }
    return true;
  }

  function onKeyDown(event: ReactKeyboardEvent<HTMLElement>) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("tr")];
    const row = target.closest("tr");
    const index = row ? rows.indexOf(row) : -1;
    const video = videos[index];
    const last = videos.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: Math.min(index + 1, last),
      ArrowUp: Math.max(index - 1, 0),
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (next !== undefined) {
      event.preventDefault();
      rows[next]?.focus();
      return;
    }
    if (video && !target.matches(INTERACTIVE) && act(event.key.toLowerCase(), video))
      event.preventDefault();
  }

  return { active, setActive: setCurrent, onKeyDown };
}

const KEYS = [
  ["↑ ↓", "move"],
  ["Space", "select"],
  ["E", "edit"],
  ["H", "hide or show"],
  ["S", "schedule"],
  ["Delete", "delete"],
] as const;

/** Elements in which `?` isn't a shortcut: dialogs, and elements into which a question mark can be typed. */
const TYPING = "input, select, textarea, [contenteditable], dialog";

/** The dialog that lists the keyboard shortcuts. It has a URL, and `?` opens it. */
export function ListKeys({ here }: { here: string }) {
  const navigate = useNavigate();
  const isOpen = useSearchParams()[0].has("keys");
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest(TYPING)) return;
      event.preventDefault();
      navigate(`${here}&keys=1`, { preventScrollReset: true });
    };
    window.addEventListener("keydown", open);
    return () => window.removeEventListener("keydown", open);
  }, [here, navigate]);
  if (!isOpen) return null;
  return (
    <Dialog title="Keyboard shortcuts" closeTo={here}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {[...KEYS, ["?", "show keyboard shortcuts"]].map(([key, what]) => (
          <div key={key} className="contents">
            <dt className="font-mono">{key}</dt>
            <dd className="text-muted">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
