import { useFetcher, useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import type { SeriesFailure } from "./change-series.server";
import type { MadeVersion } from "./series-action.server";
import type { SeriesVideo, SeriesVideosPage } from "./series-list.server";

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
export function useSeriesOrder(
  { videos, firstNumber }: SeriesVideosPage,
  version: number,
  action: string,
) {
  const { state, data, submit } = useFetcher<Partial<MadeVersion> & { error?: SeriesFailure }>();
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
