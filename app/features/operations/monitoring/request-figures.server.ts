import { routeOf } from "~/features/permissions/route-of";
import { onRequestStart } from "~/platform/node/request-context.server";

/** Answers that last as long as somebody watches or sends: counted while they are open, and not timed. */
export const OPEN_KINDS = ["download", "upload"] as const;
export type OpenKind = (typeof OPEN_KINDS)[number];

const LASTING: Readonly<Record<string, OpenKind | "events">> = {
  "/media/*": "download",
  "/preview/:token/media/*": "download",
  "/admin/uploads/:id?": "upload",
  "/admin/publish": "upload",
  "/events": "events",
};

export const open: Record<OpenKind, number> = { download: 0, upload: 0 };

/** An answer that is over. */
export interface AnsweredRequest {
  route: string;
  /** Such as `2xx`; `none` when the client left before the answer began. */
  status: string;
  /** Undefined for what lasts as long as somebody watches or sends. */
  seconds?: number;
}

/** Tells of each request from now on, when its answer is over or its client has left. */
export function followRequests(tell: (answered: AnsweredRequest) => void): void {
  onRequestStart(({ request, response }) => {
    const route = routeOf(request.url ?? "/");
    const kind = LASTING[route];
    const startedAt = performance.now();
    if (kind && kind !== "events") open[kind]++;
    response.once("close", () => {
      if (kind && kind !== "events") open[kind]--;
      const status = response.headersSent ? `${Math.trunc(response.statusCode / 100)}xx` : "none";
      const seconds = kind ? undefined : (performance.now() - startedAt) / 1_000;
      tell({ route, status, seconds });
    });
  });
}
