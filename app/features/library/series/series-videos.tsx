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
  { control: "remove", Icon: X, labelOf: (title: string) => `Take ${title} out of the series` },
] as const;

/** The videos of a series in their order, which is changed by dragging, by buttons, or by typing a number. */
export function SeriesVideos({
  list,
  version,
  action,
}: {
  list: SeriesVideosPage;
  version: number;
  /** The address of the page. */
  action: string;
}) {
  const hydrated = useHydrated();
  const order = useSeriesOrder(list, version, action);
  const { videos } = order;
  const { firstNumber, total } = list;
  const [said, setSaid] = useState("");
  const rows = useRef<HTMLOListElement>(null);
  const focus = useRef<string>();

  // A row that is moved loses the focus with its old place in the page.
  useEffect(() => {
    if (!focus.current) return;
    const controls = rows.current?.querySelectorAll<HTMLElement>("[data-control]") ?? [];
    [...controls].find(({ dataset }) => dataset.control === focus.current)?.focus();
    focus.current = undefined;
  });

  function move(video: SeriesVideo, asked: number, control?: string) {
    const to = Math.max(1, Math.min(asked, total));
    focus.current = control && `${control}-${video.id}`;
    order.moveTo(video.id, to);
    setSaid(`${video.title}: ${to} of ${total}`);
  }

  function remove(video: SeriesVideo, index: number) {
    const neighbour = videos[index + 1] ?? videos[index - 1];
    focus.current = neighbour && `remove-${neighbour.id}`;
    order.remove(video.id);
    setSaid(`${video.title} removed`);
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
        {said}
      </p>
      <ol
        ref={rows}
        aria-label="Videos of the series"
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
                {/* Enter in the field presses the first button of a form: this one, which nobody sees. */}
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
                  // For pointers alone: the field and the buttons do the same with the keyboard.
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
                  // Another number is another field: what was typed is gone with the old one.
                  key={number}
                  type="number"
                  name="to"
                  min={1}
                  max={total}
                  inputMode="numeric"
                  defaultValue={number}
                  aria-label={`Number of ${video.title}`}
                  data-control={`to-${video.id}`}
                  className="min-h-11 w-16 shrink-0 rounded-md border border-line-strong bg-surface px-2 text-center figures"
                />
                <Video video={video} />
                <div className="flex shrink-0 max-sm:ml-auto">
                  {CONTROLS.map(({ control, Icon, labelOf }) => {
                    // There is nothing to change places with.
                    const isEnd = number === { up: 1, down: total, remove: 0 }[control];
                    return (
                      <Button
                        key={control}
                        name={control === "remove" ? "intent" : "move"}
                        value={control}
                        // What it does and to which row, by which it gets the focus back.
                        data-control={`${control}-${video.id}`}
                        variant="ghost"
                        size="sm"
                        aria-label={labelOf(video.title)}
                        title={labelOf(video.title)}
                        // Not disabled, which would take the focus from whoever has just moved a row to the end.
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
            <span>In the trash; comes back here when it is restored</span>
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
  /** The new number, from 1; undefined for out of the series. */
  to: number | undefined;
}

/** The server has done it; `version` is of the series since then. */
interface DoneMove extends Move {
  version: number;
}

/**
 * The videos of a page of a series as they will be when what was pressed has been done. Presses are sent
 * one after the other, each with the version that the one before has made, so that nobody waits between two
 * and none is taken for a change by somebody else.
 */
function useSeriesOrder(
  { videos, firstNumber }: SeriesVideosPage,
  version: number,
  action: string,
) {
  const { state, data, submit } = useFetcher<Partial<NewVersion> & { error?: SeriesFailure }>();
  const { state: reading, revalidate } = useRevalidator();
  const [waiting, setWaiting] = useState<readonly Move[]>([]);
  const [sent, setSent] = useState<Move>();
  const [done, setDone] = useState<readonly DoneMove[]>([]);
  const hasBegun = useRef(false);
  const error = data?.error;
  const made = data?.version;
  // A page that was asked for before a change may come after it.
  const missing = done.filter((move) => move.version > version);
  const isBehind = missing.length > 0;
  const newest = missing.at(-1)?.version ?? version;

  useEffect(() => {
    if (state !== "idle") {
      hasBegun.current = true;
      return;
    }
    if (sent) {
      if (!hasBegun.current) return;
      setSent(undefined);
      if (made) setDone([...missing, { ...sent, version: made }]);
      // What was to follow was meant for another order.
      if (error) setWaiting([]);
      if (error) revalidate();
      return;
    }
    const [next, ...rest] = waiting;
    if (!next) {
      if (isBehind && reading === "idle") revalidate();
      return;
    }
    setWaiting(rest);
    setSent(next);
    hasBegun.current = false;
    const { id, to } = next;
    submit(
      {
        ...(to === undefined ? { intent: "remove" } : { intent: "move", to }),
        ...{ video: id, version: newest, background: "1" },
      },
      { method: "post", action, preventScrollReset: true },
    );
  });

  const shown = [...missing, ...(sent ? [sent] : []), ...waiting].reduce(
    (list, move) => moved(list, move, firstNumber),
    videos,
  );
  const press = (move: Move) => setWaiting((before) => [...before, move]);
  return {
    videos: shown,
    error: state === "idle" ? error : undefined,
    moveTo: (id: string, to: number) => press({ id, to }),
    remove: (id: string) => press({ id, to: undefined }),
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
  // To another page.
  if (at < 0 || at > rest.length) return rest;
  return [...rest.slice(0, at), video, ...rest.slice(at)];
}
