import { Form, Link, useFetcher, useRevalidator } from "@remix-run/react";
import { ArrowDown, ArrowUp, GripVertical, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { PLACEHOLDER_URL } from "~/features/catalogue/poster";
import { StatusBadge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { AnswerFailure } from "~/ui/feedback/failure-notice";
import { useHydrated } from "~/ui/use-hydrated";
import type { SeriesFailure } from "./change-series.server";
import type { NewVersion } from "./series-action.server";
import type { SeriesVideo, SeriesVideosPage } from "./series-list.server";
import { useDragOrder } from "./use-drag-order";

const CONTROLS = [
  { control: "up", Icon: ArrowUp, labelOf: (title: string) => `Move ${title} up` },
  { control: "down", Icon: ArrowDown, labelOf: (title: string) => `Move ${title} down` },
  { control: "remove", Icon: X, labelOf: (title: string) => `Remove ${title} from the series` },
] as const;

/** The videos in a series, in order. They can be reordered by dragging, with buttons, or by typing a number. */
export function SeriesVideos({
  list,
  version,
  action,
}: {
  list: SeriesVideosPage;
  version: number;
  /** The URL of the page. */
  action: string;
}) {
  const hydrated = useHydrated();
  const order = useSeriesOrder(list, version, action);
  const { videos } = order;
  const { firstNumber, total } = list;
  const [announcement, setAnnouncement] = useState("");
  const rows = useRef<HTMLOListElement>(null);
  const focus = useRef<string>();

  // Restores the focus, which a row loses when it moves within the document.
  useEffect(() => {
    if (!focus.current) return;
    const controls = rows.current?.querySelectorAll<HTMLElement>("[data-control]") ?? [];
    [...controls].find(({ dataset }) => dataset.control === focus.current)?.focus();
    focus.current = undefined;
  });

  function move(video: SeriesVideo, requested: number, control?: string) {
    const to = Math.max(1, Math.min(requested, total));
    focus.current = control && `${control}-${video.id}`;
    order.moveTo(video.id, to);
    setAnnouncement(`${video.title}: ${to} of ${total}`);
  }

  function remove(video: SeriesVideo, index: number) {
    const neighbor = videos[index + 1] ?? videos[index - 1];
    focus.current = neighbor && `remove-${neighbor.id}`;
    order.remove(video.id);
    setAnnouncement(`${video.title} removed`);
  }

  const ids = videos.map(({ id }) => id).join();
  const beginDrag = useDragOrder(rows, ids, (from, to) => {
    const video = videos[from];
    if (video) move(video, firstNumber + to);
  });

  return (
    <>
      <AnswerFailure error={order.error} />
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <ol
        ref={rows}
        aria-label="Videos in the series"
        className="ruled rounded-lg border border-line bg-surface"
      >
        {videos.map((video, index) => {
          const number = firstNumber + index;
          return (
            <li
              key={video.id}
              className="data-[dragged]:relative data-[dragged]:z-10 data-[dragged]:bg-raised"
            >
              <Form
                method="post"
                action={action}
                preventScrollReset
                onSubmit={(event) => {
                  event.preventDefault();
                  const { submitter } = event.nativeEvent as SubmitEvent;
                  const pressed = (submitter as HTMLButtonElement | null)?.dataset.control ?? "";
                  if (pressed.startsWith("up-")) return move(video, number - 1, "up");
                  if (pressed.startsWith("down-")) return move(video, number + 1, "down");
                  if (pressed.startsWith("remove-")) return remove(video, index);
                  const typed = Number(new FormData(event.currentTarget).get("to"));
                  if (Number.isSafeInteger(typed) && typed !== number) move(video, typed, "to");
                }}
                className="flex flex-wrap items-center gap-x-3 gap-y-1 p-2 sm:flex-nowrap sm:px-4"
              >
                <input type="hidden" name="video" value={video.id} />
                <input type="hidden" name="version" value={version} />
                {/* Pressing Enter in the field activates the form's first submit button, which is this hidden one. */}
                <button
                  type="submit"
                  name="intent"
                  value="move"
                  tabIndex={-1}
                  aria-hidden="true"
                  className="sr-only"
                >
                  Move
                </button>
                {hydrated && (
                  // Only for pointers. Keyboard users can use the field and the buttons.
                  <span
                    aria-hidden="true"
                    data-grip
                    onPointerDown={(event) => beginDrag(event, index)}
                    className="-mx-2 flex size-11 shrink-0 cursor-grab touch-none items-center justify-center text-muted select-none active:cursor-grabbing sm:-mx-1"
                  >
                    <GripVertical className="size-5" />
                  </span>
                )}
                <input
                  // The key creates a new field when the number changes, because the field is uncontrolled.
                  key={number}
                  type="number"
                  name="to"
                  min={1}
                  max={total}
                  inputMode="numeric"
                  defaultValue={number}
                  aria-label={`Position of ${video.title}`}
                  data-control={`to-${video.id}`}
                  className="min-h-11 w-16 shrink-0 rounded-md border border-line-strong bg-surface px-2 text-center figures"
                />
                <Video video={video} />
                <div className="flex shrink-0 max-sm:ml-auto">
                  {CONTROLS.map(({ control, Icon, labelOf }) => {
                    // The first video can't move up, and the last can't move down.
                    const isEnd = number === { up: 1, down: total, remove: 0 }[control];
                    return (
                      <Button
                        key={control}
                        name={control === "remove" ? "intent" : "move"}
                        value={control}
                        // Identifies the button, so that its focus can be restored.
                        data-control={`${control}-${video.id}`}
                        variant="ghost"
                        size="sm"
                        aria-label={labelOf(video.title)}
                        title={labelOf(video.title)}
                        // Not `disabled`, because that would remove the focus after a row was moved to the end.
                        aria-disabled={isEnd || undefined}
                        onClick={isEnd ? (event) => event.preventDefault() : undefined}
                        className="size-11 shrink-0 !px-0 [&_svg]:size-5"
                      >
                        <Icon aria-hidden="true" />
                      </Button>
                    );
                  })}
                </div>
              </Form>
            </li>
          );
        })}
      </ol>
    </>
  );
}

function Video({ video }: { video: SeriesVideo }) {
  const isDeleted = video.status === "deleted";
  return (
    <>
      <img
        src={video.thumbnailUrl ?? PLACEHOLDER_URL}
        alt=""
        loading="lazy"
        draggable={false}
        className="aspect-video w-24 shrink-0 rounded-sm bg-raised object-cover"
      />
      <div className="min-w-0 grow basis-40">
        {isDeleted ? (
          <span dir="auto" className="line-clamp-2 font-medium break-words text-muted">
            {video.title}
          </span>
        ) : (
          <Link
            to={`/admin?tab=manage&edit=${encodeURIComponent(video.id)}`}
            dir="auto"
            draggable={false}
            className="flex min-h-11 items-center font-medium hover:text-accent mouse:min-h-0"
          >
            <span className="line-clamp-2 min-w-0 break-words">{video.title}</span>
          </Link>
        )}
        <p className="flex flex-wrap items-center gap-2 text-sm text-muted figures">
          {video.duration}
          {isDeleted ? (
            <span>In the trash. Keeps its position if restored.</span>
          ) : (
            <StatusBadge status={video.status} />
          )}
        </p>
      </div>
    </>
  );
}

interface Move {
  id: string;
  /** The new number, counted from 1; undefined to remove the video. */
  to: number | undefined;
}

/** A move that the server has performed. `version` is the version of the series after the move. */
interface DoneMove extends Move {
  version: number;
}

/**
 * Returns the videos on a page with all requested moves applied optimistically. Sends the moves one after another, each
 * with the version that the previous one returned, so that they aren't treated as conflicting changes by someone else.
 */
function useSeriesOrder(
  { videos, firstNumber }: SeriesVideosPage,
  version: number,
  action: string,
) {
  const { state, data, submit } = useFetcher<Partial<NewVersion> & { error?: SeriesFailure }>();
  const { state: reading, revalidate } = useRevalidator();
  const [queued, setQueued] = useState<readonly Move[]>([]);
  const [sent, setSent] = useState<Move>();
  const [done, setDone] = useState<readonly DoneMove[]>([]);
  const hasStarted = useRef(false);
  const error = data?.error;
  const newVersion = data?.version;
  // Data that was requested before a move may arrive after the move and not include it.
  const unconfirmed = done.filter((move) => move.version > version);
  const isOutdated = unconfirmed.length > 0;
  const newest = unconfirmed.at(-1)?.version ?? version;

  useEffect(() => {
    if (state !== "idle") {
      hasStarted.current = true;
      return;
    }
    if (sent) {
      if (!hasStarted.current) return;
      setSent(undefined);
      if (newVersion) setDone([...unconfirmed, { ...sent, version: newVersion }]);
      // The remaining moves were based on a different order.
      if (error) setQueued([]);
      if (error) revalidate();
      return;
    }
    const [next, ...rest] = queued;
    if (!next) {
      if (isOutdated && reading === "idle") revalidate();
      return;
    }
    setQueued(rest);
    setSent(next);
    hasStarted.current = false;
    const { id, to } = next;
    submit(
      {
        ...(to === undefined ? { intent: "remove" } : { intent: "move", to }),
        ...{ video: id, version: newest, background: "1" },
      },
      { method: "post", action, preventScrollReset: true },
    );
  });

  const shown = [...unconfirmed, ...(sent ? [sent] : []), ...queued].reduce(
    (list, move) => moved(list, move, firstNumber),
    videos,
  );
  const enqueue = (move: Move) => setQueued((before) => [...before, move]);
  return {
    videos: shown,
    error: state === "idle" ? error : undefined,
    moveTo: (id: string, to: number) => enqueue({ id, to }),
    remove: (id: string) => enqueue({ id, to: undefined }),
  };
}

function moved(
  videos: readonly SeriesVideo[],
  { id, to }: Move,
  firstNumber: number,
): SeriesVideo[] {
  const video = videos.find((each) => each.id === id);
  const rest = videos.filter((each) => each.id !== id);
  if (!video || to === undefined) return rest;
  const at = to - firstNumber;
  // The video moves to another page.
  if (at < 0 || at > rest.length) return rest;
  return [...rest.slice(0, at), video, ...rest.slice(at)];
}
