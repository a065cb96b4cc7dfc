import { type Span, union, watchedReport } from "~/shared/statistics/watched-parts";
import { PLAYER_VIDEO_SELECTOR, type WatchedVideo } from "./types";

interface View {
  visit: string;
  video: WatchedVideo;
  /** The ranges played from the element's previous sources. */
  previous: Span[];
  element?: HTMLVideoElement;
  /** The ranges played from the current source. */
  played: Span[];
  /** The duration in seconds, as reported by the element; 0 until it is known. */
  duration: number;
}

/** The current view; there is only one player at a time. */
let view: View | undefined;
/** The visits whose views have been reported. Returning to a page with the Back button doesn't count as a new view. */
const reported = new Set<string>();

/**
 * Starts tracking which parts are played, including those that the element has already played.
 *
 * @param isContinuation whether this visit continues a view that began on another page.
 */
export function beginView(
  visit: string,
  video: WatchedVideo,
  element: HTMLVideoElement,
  isContinuation: boolean,
): void {
  const isSame = view?.video.id === video.id;
  if (view && isSame && (isContinuation || view.visit === visit)) {
    view.visit = visit;
    return;
  }
  endView();
  if (isContinuation || reported.has(visit)) return;
  view = { visit, video, previous: [], played: [], duration: 0 };
  sample(element);
}

/** Ends and reports the current view if it belongs to the visit. */
export function endView(ofVisit = view?.visit): void {
  if (!view || view.visit !== ofVisit) return;
  const { visit, video, previous, played, duration } = view;
  view = undefined;
  const { id, durationSeconds, isGrowing } = video;
  const isKnown = durationSeconds > 0 || !isGrowing;
  // The longer duration is used, because while a stream is still being encoded, the element only knows the duration of
  // the available part.
  const length = isKnown ? Math.max(durationSeconds, duration) : 0;
  const report = watchedReport([...previous, ...played], length);
  if (report === undefined || !("keepalive" in Request.prototype)) return;
  reported.add(visit);
  fetch(`/video/${encodeURIComponent(id)}/watched`, {
    method: "POST",
    body: report,
    keepalive: true,
    // No cookies are sent. The page's URL isn't sent as the referrer, since it may contain a search query.
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

/** Keeps the played ranges when the source changes, because the element forgets them. */
function keepPlayed(view: View): void {
  view.previous = union([...view.previous, ...view.played]);
  view.played = [];
}

function onMedia({ type, target }: Event): void {
  if (!view || !(target instanceof HTMLVideoElement && target.matches(PLAYER_VIDEO_SELECTOR)))
    return;
  if (type === "emptied") keepPlayed(view);
  else sample(target);
  if (type === "ended") endView();
}

for (const type of ["timeupdate", "pause", "ended", "emptied"]) {
  document.addEventListener(type, onMedia, true);
}
window.addEventListener("pagehide", () => endView());
