/** A server-sent event; `version` counts the changes to the catalogue. */
export interface LiveEvent {
  topic: "hello" | "catalogue" | "views" | "jobs";
  version: number;
  /** Sent in the `hello` event to signed-in users. It changes with the `jobs` topic. */
  studio?: string | undefined;
}

/** Specification, section 9: reconnect after 1, 2 and 5 s, then every 10 s. */
const RECONNECT_AFTER_MS = [1_000, 2_000, 5_000, 10_000] as const;
/** How often the server sends a heartbeat (specification, section 9). */
export const HEARTBEAT_MS = 30_000;
/** How long a heartbeat may be overdue before the connection is considered dead. */
export const HEARTBEAT_TIMEOUT_MS = 10_000;

const TOPICS = ["hello", "catalogue", "views", "jobs"] as const;

/**
 * Listens to the server's events while the page is visible. A hidden page closes its connection, because browsers allow
 * only six connections per site. The `hello` event of the next connection shows whether the page has missed anything.
 * If a heartbeat is overdue, the connection is closed and reopened, because a dead connection doesn't raise an error.
 *
 * @param onReconnect called when the first event arrives after a failed connection.
 * @returns a function that stops listening.
 */
export function listenToEvents(
  address: string,
  onEvent: (event: LiveEvent) => void,
  onReconnect?: () => void,
): () => void {
  let source: EventSource | undefined;
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  let deadTimer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  const open = () => {
    source = new EventSource(address);
    awaitHeartbeat();
    source.addEventListener("heartbeat", awaitHeartbeat);
    for (const topic of TOPICS) {
      source.addEventListener(topic, ({ data }: MessageEvent<string>) => {
        if (failures > 0) onReconnect?.();
        failures = 0;
        const { catalogue, studio } = JSON.parse(data) as { catalogue: number; studio?: string };
        onEvent({ topic, version: catalogue, studio });
      });
    }
    // The browser reconnects automatically, but not after a 503 response.
    source.addEventListener("error", reconnect);
  };
  const awaitHeartbeat = () => {
    clearTimeout(deadTimer);
    deadTimer = setTimeout(reconnect, HEARTBEAT_MS + HEARTBEAT_TIMEOUT_MS);
  };
  const reconnect = () => {
    close();
    const wait = RECONNECT_AFTER_MS[Math.min(failures, RECONNECT_AFTER_MS.length - 1)];
    failures += 1;
    reconnectTimer = setTimeout(open, wait);
  };
  const close = () => {
    clearTimeout(reconnectTimer);
    clearTimeout(deadTimer);
    source?.close();
    source = undefined;
  };
  const follow = () => {
    close();
    failures = 0;
    if (document.visibilityState === "visible") open();
  };

  follow();
  document.addEventListener("visibilitychange", follow);
  // Reconnect now instead of waiting for the next attempt, which may be ten seconds away.
  window.addEventListener("online", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    window.removeEventListener("online", follow);
    close();
  };
}
