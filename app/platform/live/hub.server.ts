import { type CatalogueVersion, catalogueVersion } from "~db/changes.server";
import { every, type PeriodicWork, processState } from "~db/runtime.server";

/**
 * The change hub. It polls the catalogue's version, which increases with every write to `videos`, so it also announces
 * changes made by other processes.
 */

/**
 * `catalogue`: a public video was added, removed or changed. `views`: only view counts have changed. `jobs`: a job has
 * made progress, or something changed that only the studio shows, such as a hidden video.
 */
export type Topic = "catalogue" | "views" | "jobs";

export interface Change {
  topic: Topic;
  /** The catalogue version that was last announced. */
  version: CatalogueVersion;
}

/** The polling interval. A poll takes a few microseconds. */
const POLL_EVERY_MS = 100;
/** A burst of changes is announced only once: when it ends, or after this time, whichever comes first. */
const MAX_BURST_MS = 400;
/**
 * The minimum time between two announcements while the catalogue is changing continuously, so that lists aren't
 * refetched more often.
 */
const CATALOGUE_EVERY_MS = 500;
/** View counts change all the time, and open lists shouldn't be refetched after every view. */
const VIEWS_EVERY_MS = 15_000;
const JOBS_EVERY_MS = 1_000;

type Listener = (change: Change) => void;

/** Times are `performance.now()` timestamps, so that setting the system's clock back doesn't stop announcements. */
interface Hub {
  listeners: Set<Listener>;
  polls?: PeriodicWork;
  announced: CatalogueVersion;
  seen: CatalogueVersion;
  burstSince?: number;
  announcedAt: number;
  jobsChanged: boolean;
  jobsAnnouncedAt: number;
  /** The number of times `announceStudioChange` was called. */
  published: number;
}

const liveHub = processState<Hub>("live hub", () => ({
  listeners: new Set(),
  announced: { catalogue: 0, views: 0, studio: 0 },
  seen: { catalogue: 0, views: 0, studio: 0 },
  announcedAt: 0,
  jobsChanged: false,
  jobsAnnouncedAt: 0,
  published: 0,
}));

/** Calls `listener` for each change. Returns a function that unsubscribes. */
export function subscribe(listener: Listener): () => void {
  const hub = liveHub();
  if (hub.listeners.size === 0) start(hub);
  hub.listeners.add(listener);
  return () => {
    hub.listeners.delete(listener);
    if (hub.listeners.size === 0) void hub.polls?.stop();
  };
}

/** Returns the version of the view counts that was last announced to open pages. */
export function announcedViews(): number {
  return liveHub().announced.views;
}

/** Notifies the studio of a change that the hub doesn't detect, such as a job's progress, a decision or a backup. */
export function announceStudioChange(): void {
  const hub = liveHub();
  hub.jobsChanged = true;
  hub.published += 1;
}

/** Returns a version that changes with each change to the `jobs` topic. Use it only for signed-in users. */
export function studioVersion({ studio }: CatalogueVersion): string {
  return `${studio}.${liveHub().published}`;
}

function start(hub: Hub): void {
  hub.announced = catalogueVersion();
  hub.seen = hub.announced;
  hub.burstSince = undefined;
  hub.announcedAt = performance.now();
  hub.jobsChanged = false;
  hub.jobsAnnouncedAt = Number.NEGATIVE_INFINITY;
  hub.polls = every(POLL_EVERY_MS, "check for changes", () => poll(hub));
}

function poll(hub: Hub): void {
  const now = performance.now();
  let version: CatalogueVersion;
  try {
    version = catalogueVersion();
  } catch {
    // The database is locked or being replaced. Another poll will follow soon, and /healthz reports lasting problems.
    return;
  }
  const isStill = version.studio === hub.seen.studio;
  if (!isStill && version.catalogue === hub.seen.catalogue) hub.jobsChanged = true;
  hub.seen = version;
  if (version.catalogue !== hub.announced.catalogue) {
    hub.burstSince ??= now;
    const isOver = isStill || now - hub.burstSince >= MAX_BURST_MS;
    if (isOver && now - hub.announcedAt >= CATALOGUE_EVERY_MS) announce(hub, "catalogue", now);
  } else if (version.views !== hub.announced.views && now - hub.announcedAt >= VIEWS_EVERY_MS) {
    announce(hub, "views", now);
  }
  if (hub.jobsChanged && now - hub.jobsAnnouncedAt >= JOBS_EVERY_MS) {
    hub.jobsChanged = false;
    hub.jobsAnnouncedAt = now;
    notify(hub, { topic: "jobs", version: hub.announced });
  }
}

function announce(hub: Hub, topic: Topic, now: number): void {
  hub.announced = hub.seen;
  hub.announcedAt = now;
  hub.burstSince = undefined;
  notify(hub, { topic, version: hub.announced });
}

function notify(hub: Hub, change: Change): void {
  for (const listener of [...hub.listeners]) listener(change);
}
