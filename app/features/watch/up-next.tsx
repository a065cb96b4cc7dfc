import { ArrowDown, ArrowUp, ChevronDown, X } from "lucide-react";
import { type DragEvent, useEffect, useMemo, useRef, useState } from "react";
import { tabValue } from "~/features/visitor/browser-storage";
import type { VideoCardData } from "~/shared/video-card";
import { classNames } from "~/ui/class-names";
import { PageLink } from "~/ui/page-link";
import { useHydrated } from "~/ui/use-hydrated";

const MAX_UP_NEXT = 5;

/** The queue of videos to play next. Set only after the visitor has changed it, and stored only for this tab. */
const upNext = tabValue<VideoCardData[] | undefined>("upNext", (stored) =>
  Array.isArray(stored)
    ? stored.filter((video) => typeof video?.id === "string" && typeof video?.title === "string")
    : undefined,
);

/**
 * Returns the videos to play after the current one. These are the related videos unless the visitor has changed the
 * queue.
 */
export function useUpNext(here: string, related: VideoCardData[]): VideoCardData[] {
  const stored = upNext.use();
  return useMemo(() => {
    const left = stored?.filter(({ id }) => id !== here) ?? [];
    return left.length > 0 ? left : related.slice(0, MAX_UP_NEXT);
  }, [stored, here, related]);
}

/** The queue of videos to play next, which can be reordered with buttons or by dragging. */
export function UpNext({
  videos,
  hrefFor,
  state,
}: {
  videos: VideoCardData[];
  hrefFor: (id: string) => string;
  state?: unknown;
}) {
  const hydrated = useHydrated();
  const [announcement, setAnnouncement] = useState("");
  const dragged = useRef<number>();
  const list = useRef<HTMLOListElement>(null);
  const focus = useRef<string>();

  // A row loses focus when it is moved in the DOM.
  useEffect(() => {
    if (!focus.current) return;
    const buttons = list.current?.querySelectorAll<HTMLElement>("[data-control]") ?? [];
    [...buttons].find(({ dataset }) => dataset.control === focus.current)?.focus();
    focus.current = undefined;
  });

  function move(from: number, to: number, control?: string) {
    const video = videos[from];
    if (!video || from === to || to < 0 || to >= videos.length) return;
    focus.current = control && `${control}-${video.id}`;
    upNext.write(moved(videos, from, to));
    setAnnouncement(`${video.title}: ${to + 1} of ${videos.length}`);
  }

  function remove(at: number) {
    const video = videos[at];
    const neighbor = videos[at + 1] ?? videos[at - 1];
    if (!video || !neighbor) return;
    focus.current = `remove-${neighbor.id}`;
    upNext.write(videos.filter((_, index) => index !== at));
    setAnnouncement(`${video.title} removed`);
  }

  function drop(event: DragEvent, to: number) {
    event.preventDefault();
    if (dragged.current !== undefined) move(dragged.current, to);
    dragged.current = undefined;
  }

  const [first] = videos;
  if (!first) return null;
  return (
    <details className="group mb-6 rounded-lg border border-line bg-surface text-sm">
      <summary className="flex min-h-11 list-none items-center gap-3 px-4">
        <h2 className="shrink-0 font-semibold">Up next</h2>
        <span dir="auto" className="min-w-0 flex-1 truncate text-muted">
          {first.title}
        </span>
        <ChevronDown aria-hidden="true" className="size-4.5 shrink-0 group-open:rotate-180" />
      </summary>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <ol ref={list}>
        {videos.map((video, index) => (
          <li
            key={video.id}
            draggable={hydrated}
            className={classNames(
              "flex flex-wrap items-center justify-end border-t border-line pl-4",
              hydrated && "cursor-grab",
            )}
            onDragStart={(event) => {
              dragged.current = index;
              event.dataTransfer.effectAllowed = "move";
            }}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => drop(event, index)}
          >
            <PageLink
              to={hrefFor(video.id)}
              state={state}
              dir="auto"
              draggable={false}
              // If the visitor uses large text, the title is on a separate line above the buttons.
              className="min-w-0 flex-[1_1_8rem] truncate py-3 -outline-offset-2 hover:text-accent"
            >
              {video.title}
            </PageLink>
            {hydrated && (
              <>
                <RowButton
                  icon={ArrowUp}
                  label={`Move ${video.title} up`}
                  control={`up-${video.id}`}
                  disabled={index === 0}
                  onPress={() => move(index, index - 1, "up")}
                />
                <RowButton
                  icon={ArrowDown}
                  label={`Move ${video.title} down`}
                  control={`down-${video.id}`}
                  disabled={index === videos.length - 1}
                  onPress={() => move(index, index + 1, "down")}
                />
                <RowButton
                  icon={X}
                  label={`Remove ${video.title}`}
                  control={`remove-${video.id}`}
                  disabled={videos.length === 1}
                  onPress={() => remove(index)}
                />
              </>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

function RowButton({
  icon: Icon,
  label,
  control,
  disabled,
  onPress,
}: {
  icon: typeof X;
  label: string;
  /** Identifies the action and the row so that focus can be restored. */
  control: string;
  disabled: boolean;
  onPress: () => void;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      data-control={control}
      // `disabled` isn't used, because the button would lose focus when its row is moved to the end.
      aria-disabled={disabled || undefined}
      onClick={disabled ? undefined : onPress}
      // The largest size at which three buttons fit on one line.
      className="grid size-[min(2.75rem,max(44px,12vw))] shrink-0 place-items-center rounded-full text-muted -outline-offset-2 hover:text-ink aria-disabled:cursor-default aria-disabled:opacity-40"
    >
      <Icon aria-hidden="true" className="size-4.5 shrink-0" />
    </button>
  );
}

/** Returns the list with one item moved to another index. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, index) => index !== from);
  return [...rest.slice(0, to), list[from]!, ...rest.slice(to)];
}
