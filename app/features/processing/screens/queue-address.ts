/** The page of the queue, as its address says. Parameters at their defaults are left out. */

export const QUEUE_STATES = ["running", "waiting", "failed", "done"] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

export const QUEUE_STATE_LABELS: Record<QueueState, string> = {
  running: "Being made",
  waiting: "Waiting",
  failed: "Failed",
  done: "Done",
};

export interface QueueView {
  /** Undefined: the beginning of each, but for what is done. */
  state?: QueueState;
  /** Only what is made of this video, whatever its state. */
  video?: string;
  page: number;
}

/** The view of an address. An invalid value counts as its default. */
export function readQueueView(parameters: URLSearchParams): QueueView {
  const video = parameters.get("video")?.slice(0, 200);
  if (video) return { video, page: 1 };
  const state = QUEUE_STATES.find((each) => each === parameters.get("state"));
  const page = parameters.get("page") ?? "";
  if (!state) return { page: 1 };
  return { state, page: /^\d{1,7}$/.test(page) ? Math.max(1, Number(page)) : 1 };
}

/** The address of a view. */
export function queueHref({ state, video, page }: Partial<QueueView> = {}): string {
  const parameters = new URLSearchParams();
  if (video) parameters.set("video", video);
  if (state) parameters.set("state", state);
  if (page && page > 1) parameters.set("page", String(page));
  return parameters.size > 0 ? `/admin/queue?${parameters}` : "/admin/queue";
}
