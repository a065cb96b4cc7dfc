import { type CatalogueVersion, catalogueVersion } from "~db/changes.server";
import { every, type PeriodicWork, processState } from "~db/runtime.server";

/**
 * The change hub. It polls the version of the catalogue, which rises with whatever is written to
 * `videos`, so that every change is announced, of this process or of any other with the same file.
 */

/**
 * catalogue: what the public sees came, went or changed. views: only counts rose. jobs: conversions went
 * on, or what only the studio shows has changed. A hidden video is silent for everybody else.
 */
export type Topic = "catalogue" | "views" | "jobs";

export interface Change {
  topic: Topic;
  /** Of the catalogue, as it was announced. */
  version: CatalogueVersion;
}

/** One poll takes some microseconds. */
const POLL_EVERY_MS = 100;
/** A burst of changes is announced once, when it is over, but not later than this. */
const BURST_MOST_MS = 400;
/** While changes go on and on, lists are not refetched more often than this. */
const CATALOGUE_EVERY_MS = 500;
/** Views rise all the time; counting them must not make every open list refetch at every one. */
const VIEWS_EVERY_MS = 15_000;
const JOBS_EVERY_MS = 1_000;

type Listener = (change: Change) => void;

interface Hub {
  listeners: Set<Listener>;
  polls?: PeriodicWork;
  announced: CatalogueVersion;
  seen: CatalogueVersion;
  burstSince?: number;
  announcedAt: number;
  jobsChanged: boolean;
  jobsAnnouncedAt: number;
  /** How often `announceStudioChange` was called. */
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

/** Calls `listener` at each change from now on. Returns what ends it. */
export function subscribe(listener: Listener): () => void {
  const hub = liveHub();
  if (hub.listeners.size === 0) start(hub);
  hub.listeners.add(listener);
  return () => {
    hub.listeners.delete(listener);
    if (hub.listeners.size === 0) void hub.polls?.stop();
  };
}

/** Tells open pages of the studio of what the hub does not see by itself: work on conversions, a decision, a backup. */
export function announceStudioChange(): void {
  const hub = liveHub();
  hub.jobsChanged = true;
  hub.published += 1;
}

/** Another one after each change that topic `jobs` announces: for who is signed in alone. */
export function studioVersion({ studio }: CatalogueVersion): string {
  return `${studio}.${liveHub().published}`;
}

function start(hub: Hub): void {
  hub.announced = catalogueVersion();
  hub.seen = hub.announced;
  hub.burstSince = undefined;
  hub.announcedAt = Date.now();
  hub.jobsChanged = false;
  hub.jobsAnnouncedAt = 0;
  hub.polls = every(POLL_EVERY_MS, "announce changes", () => poll(hub));
}

function poll(hub: Hub): void {
  const now = Date.now();
  let version: CatalogueVersion;
  try {
    version = catalogueVersion();
  } catch {
    // Locked, or being replaced: the next poll is soon, and /healthz says when it stays so.
    return;
  }
  const isStill = version.studio === hub.seen.studio;
  if (!isStill && version.catalogue === hub.seen.catalogue) hub.jobsChanged = true;
  hub.seen = version;
  if (version.catalogue !== hub.announced.catalogue) {
    hub.burstSince ??= now;
    const isOver = isStill || now - hub.burstSince >= BURST_MOST_MS;
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
