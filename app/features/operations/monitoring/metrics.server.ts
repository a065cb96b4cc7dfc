import { createHash, timingSafeEqual } from "node:crypto";
import fs from "node:fs/promises";
import type * as Prometheus from "prom-client";
import { routeOf } from "~/features/permissions/route-of";
import { diskFigures } from "~/media/files/disk.server";
import { bearerToken } from "~/platform/bearer-token";
import { counts } from "~/platform/counts.server";
import { openStreamCount } from "~/platform/live/event-stream.server";
import { isLoopback } from "~/platform/loopback";
import { onRequestStart, requestContext } from "~/platform/node/request-context.server";
import { settings } from "~/platform/settings.server";
import { SITE_VERSION } from "~/platform/version.server";
import { processState } from "~db/runtime.server";
import { JOB_KINDS } from "~db/schema/media";
import { ALERT_KINDS } from "~db/schema/operations";
import { queryThread } from "~db/threads/query-thread.server";
import type { LibraryMetrics } from "./library-metrics.server";

/**
 * The histogram buckets in seconds. A cached page takes 1 ms, an uncached page 10 ms, and a search in a large library
 * 0.3 s.
 */
const LATENCY_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const JOB_STATES = ["waiting", "running", "failed"] as const;

/**
 * Routes whose responses last as long as a viewer watches or an upload takes. These responses are counted while they
 * are open rather than timed.
 */
const LONG_RESPONSES: Readonly<Record<string, "download" | "upload" | "events">> = {
  "/media/*": "download",
  "/preview/:token/media/*": "download",
  "/admin/uploads/:id?": "upload",
  "/admin/publish": "upload",
  "/events": "events",
};
const open = { download: 0, upload: 0 };

interface MetricsText {
  text: string;
  contentType: string;
}

const metrics = processState("metrics", () => ({
  started: undefined as Promise<() => Promise<MetricsText>> | undefined,
  reading: undefined as Promise<MetricsText> | undefined,
}));

/**
 * Returns the metrics in the Prometheus text format. Nothing is loaded and no requests are counted before the first
 * scrape. Concurrent scrapes share one result.
 */
export function readMetrics(): Promise<MetricsText> {
  const state = metrics();
  state.started ??= start();
  state.reading ??= state.started
    .then((read) => read())
    .finally(() => {
      state.reading = undefined;
    });
  return state.reading;
}

async function start(): Promise<() => Promise<MetricsText>> {
  const prometheus = await import("prom-client");
  const figures = new prometheus.Registry();
  const registers = [figures];
  prometheus.collectDefaultMetrics({ register: figures });
  countRequests(prometheus, registers);

  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new prometheus.Gauge({ name: `afterdark_${name}`, help, labelNames, registers });
  gauge("build_info", "Always 1, labeled with the site's version", ["version"]).set(
    { version: SITE_VERSION },
    1,
  );

  const failed = gauge("collection_failed", "1 for parts of the metrics that could not be read", [
    "part",
  ]);
  const parts = siteGauges(gauge);
  const opened = gauge("open_responses", "Open event streams, downloads and uploads", ["kind"]);
  const total = (name: string, help: string, value: () => number) =>
    new prometheus.Counter({
      name: `afterdark_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  total("page_cache_hits", "Pages served from the page cache", () => counts().pageCacheHits);
  total("page_cache_misses", "Pages that had to be rendered", () => counts().pageCacheMisses);
  total("transfer_bytes", "Bytes of video files sent", () => counts().mediaBytes);
  total("sign_in_failures", "Failed sign-ins", () => counts().signInFailures);

  return async () => {
    opened.set({ kind: "events" }, openStreamCount());
    for (const [kind, number] of Object.entries(open)) opened.set({ kind }, number);
    for (const [part, read] of Object.entries(parts)) {
      const isRead = await read().then(
        () => true,
        () => false,
      );
      failed.set({ part }, isRead ? 0 : 1);
    }
    return { text: await figures.metrics(), contentType: figures.contentType };
  };
}

function countRequests(prometheus: typeof Prometheus, registers: Prometheus.Registry[]): void {
  const requests = new prometheus.Counter({
    name: "afterdark_http_requests_total",
    help: "Requests by route and status class",
    labelNames: ["route", "status"],
    registers,
  });
  const durations = new prometheus.Histogram({
    name: "afterdark_http_request_duration_seconds",
    help: "Time to the last byte of a response, excluding files, uploads and event streams",
    labelNames: ["route"],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  onRequestStart(({ request, response }) => {
    const route = routeOf(request.url ?? "/");
    const kind = LONG_RESPONSES[route];
    const startedAt = performance.now();
    if (kind && kind !== "events") open[kind]++;
    response.once("close", () => {
      if (kind && kind !== "events") open[kind]--;
      // The status is "none" if the client disconnected before the response started.
      const status = response.headersSent ? `${Math.trunc(response.statusCode / 100)}xx` : "none";
      requests.inc({ route, status });
      if (!kind) durations.observe({ route }, (performance.now() - startedAt) / 1_000);
    });
  });
}

type MakeGauge = (name: string, help: string, labels?: string[]) => Prometheus.Gauge;
/** The functions that read the individual parts of the metrics. */
type Parts = Record<"database" | "disk" | "files", () => Promise<void>>;

function siteGauges(gauge: MakeGauge): Parts {
  const jobs = gauge("jobs", "Unfinished and failed jobs", ["kind", "state"]);
  const paused = gauge("queue_paused", "1 while the queue is paused");
  const alerts = gauge("alerts_open", "Open alerts", ["kind"]);
  const reports = gauge("reports_open", "Open reports", ["state"]);
  const lastVerified = gauge(
    "backup_last_verified_timestamp_seconds",
    "Start of the last verified backup; 0 if there is none",
  );
  const interval = gauge(
    "backup_interval_seconds",
    "Interval of automatic backups; 0 if they are off",
  );
  const free = gauge("disk_free_bytes", "Free space on the uploads disk");
  const reserve = gauge("disk_reserve_bytes", "Free space below which jobs wait");
  const sizes = gauge("database_bytes", "Size of the database and its write-ahead log", ["file"]);
  return {
    async database() {
      const figures = await queryThread<LibraryMetrics>("studio", "library-figures", undefined);
      for (const kind of JOB_KINDS) for (const state of JOB_STATES) jobs.set({ kind, state }, 0);
      for (const { kind, state, jobs: number } of figures.jobs) jobs.set({ kind, state }, number);
      paused.set(figures.isPaused ? 1 : 0);
      for (const kind of ALERT_KINDS) alerts.set({ kind }, 0);
      for (const { kind, alerts: number } of figures.alerts) alerts.set({ kind }, number);
      const { open, overdue } = figures.reports;
      reports.set({ state: "in-time" }, open - overdue);
      reports.set({ state: "overdue" }, overdue);
      const { backupDir, backupEveryMs } = settings();
      lastVerified.set(figures.lastVerifiedAt ? Date.parse(figures.lastVerifiedAt) / 1_000 : 0);
      interval.set(backupDir ? backupEveryMs / 1_000 : 0);
    },
    async disk() {
      const { freeBytes, reserveBytes } = await diskFigures();
      free.set(freeBytes);
      reserve.set(reserveBytes);
    },
    async files() {
      const { databasePath } = settings();
      const log = await fs.stat(`${databasePath}-wal`).catch(() => ({ size: 0 }));
      sizes.set({ file: "wal" }, log.size);
      sizes.set({ file: "database" }, (await fs.stat(databasePath)).size);
    },
  };
}

/** Headers added by proxies. Behind a proxy on this machine, all connections come from loopback. */
const PROXY_HEADER =
  /^(forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|fastly-client-ip)$/i;
const NO_STORE = { "Cache-Control": "no-store", "Content-Type": "text/plain; charset=utf-8" };

/**
 * Checks whether a request may read the metrics. If METRICS_TOKEN is set, the request needs the token. Otherwise, it
 * must come directly from this machine: the peer and the `Host` header must be loopback, and there must be no proxy
 * headers.
 *
 * @returns undefined if the request is allowed, otherwise the response.
 */
export function refuseMetrics(request: Request): Response | undefined {
  const { metricsToken } = settings();
  if (metricsToken !== undefined) {
    const sent = bearerToken(request.headers.get("Authorization"));
    if (sent !== undefined && isSame(sent, metricsToken)) return undefined;
    const headers = { ...NO_STORE, "WWW-Authenticate": 'Bearer realm="metrics"' };
    return new Response("Send METRICS_TOKEN as a bearer token.\n", { status: 401, headers });
  }
  if (isFromThisMachine(request)) return undefined;
  return new Response("Without METRICS_TOKEN, metrics are only available from this machine.\n", {
    status: 403,
    headers: NO_STORE,
  });
}

function isFromThisMachine(request: Request): boolean {
  const socket = requestContext()?.request.socket;
  const peer = socket?.remoteAddress?.replace(/^::ffff:/i, "");
  if (peer !== "::1" && !isLoopback(peer ?? "")) return false;
  if ([...request.headers.keys()].some((name) => PROXY_HEADER.test(name))) return false;
  const host = request.headers.get("Host") ?? requestContext()?.request.headers.host ?? "";
  return isLoopback(host.replace(/:\d+$/, "").toLowerCase());
}

/** Compares digests in constant time, so that the duration reveals nothing about the token. */
function isSame(sent: string, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sent), digest(token));
}
