/** The URLs of the queue page. Parameters with default values are omitted. */

export const QUEUE_STATES = ["running", "waiting", "failed", "done"] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

export const QUEUE_STATE_LABELS: Record<QueueState, string> = {
  running: "In progress",
  waiting: "Queued",
  failed: "Failed",
  done: "Completed",
};

export interface QueueView {
  /** If undefined, the page shows an overview with the first jobs in each state except completed. */
  state?: QueueState;
  /** If set, the page shows only this video's jobs, in any state. */
  video?: string;
  page: number;
}

/** Reads the view from the URL's parameters. Invalid values are replaced with the default. */
export function readQueueView(parameters: URLSearchParams): QueueView {
  const video = parameters.get("video")?.slice(0, 200);
  if (video) return { video, page: 1 };
  const state = QUEUE_STATES.find((each) => each === parameters.get("state"));
  const page = parameters.get("page") ?? "";
  if (!state) return { page: 1 };
  return { state, page: /^\d{1,7}$/.test(page) ? Math.max(1, Number(page)) : 1 };
}

/** Returns a view's URL. */
export function queueHref({ state, video, page }: Partial<QueueView> = {}): string {
  const parameters = new URLSearchParams();
  if (video) parameters.set("video", video);
  if (state) parameters.set("state", state);
  if (page && page > 1) parameters.set("page", String(page));
  return parameters.size > 0 ? `/admin/queue?${parameters}` : "/admin/queue";
}
