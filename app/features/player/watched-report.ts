import { type Span, union, watchedReport } from "~/shared/statistics/watched-parts";
import { PLAYED, type WatchedVideo } from "./types";

interface View {
  visit: string;
  video: WatchedVideo;
  /** Played of sources that the element has no more. */
  before: Span[];
  element?: HTMLVideoElement;
  /** Played of the source that it has. */
  played: Span[];
  /** Seconds, as the element says; 0 until it does. */
  duration: number;
}

/** The view that has not ended; there is one player at a time. */
let view: View | undefined;
/** Visits whose view has been reported: a page that is shown again by Back is no new view. */
const reported = new Set<string>();

/**
 * Follows what is played from now on, and what the element has played already.
 *
 * @param goesOn it began on another page: it is no new view.
 */
export function beginView(
  visit: string,
  video: WatchedVideo,
  element: HTMLVideoElement,
  goesOn: boolean,
): void {
  const isSame = view?.video.id === video.id;
  if (view && isSame && (goesOn || view.visit === visit)) {
    view.visit = visit;
    return;
  }
  endView();
  if (goesOn || reported.has(visit)) return;
  view = { visit, video, before: [], played: [], duration: 0 };
  sample(element);
}

/** Reports the view that has not ended, if it is one of this visit. */
export function endView(ofVisit = view?.visit): void {
  if (!view || view.visit !== ofVisit) return;
  const { visit, video, before, played, duration } = view;
  view = undefined;
  const { id, durationSeconds, isGrowing } = video;
  const isKnown = durationSeconds > 0 || !isGrowing;
  // The longer: an element knows of a stream that is being made only what there is of it.
  const length = isKnown ? Math.max(durationSeconds, duration) : 0;
  const report = watchedReport([...before, ...played], length);
  // Without it a request of a page that goes away is lost, or takes the cookies with it.
  if (report === undefined || !("keepalive" in Request.prototype)) return;
  reported.add(visit);
  fetch(`/video/${encodeURIComponent(id)}/watched`, {
    method: "POST",
    body: report,
    keepalive: true,
    // No cookie, and no address of a page, which may have what was searched for in it.
    credentials: "omit",
    referrerPolicy: "origin",
  }).catch(() => {});
}

function sample(element: HTMLVideoElement): void {
  if (!view) return;
  if (view.element !== element) keepPlayed(view);
  view.element = element;
  if (Number.isFinite(element.duration)) view.duration = element.duration;
  const { played } = element;
  view.played = Array.from({ length: played.length }, (_, at) => [
    played.start(at),
    played.end(at),
  ]);
}

/** Another source takes its place: an element forgets what it has played of the one before. */
function keepPlayed(view: View): void {
  view.before = union([...view.before, ...view.played]);
  view.played = [];
}

function onMedia({ type, target }: Event): void {
  if (!view || !(target instanceof HTMLVideoElement && target.matches(PLAYED))) return;
  if (type === "emptied") keepPlayed(view);
  else sample(target);
  if (type === "ended") endView();
}

for (const type of ["timeupdate", "pause", "ended", "emptied"]) {
  document.addEventListener(type, onMedia, true);
}
window.addEventListener("pagehide", () => endView());
