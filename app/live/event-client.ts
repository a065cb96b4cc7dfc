/** What the server announces; `version` counts the changes of the catalogue. */
export interface LiveEvent {
  topic: "hello" | "catalogue" | "views" | "jobs";
  version: number;
  /** In the `hello` to who is signed in: another one after each change of topic `jobs`. */
  studio?: string | undefined;
}

/** Specification, section 9: reconnect after 1, 2, 5, then every 10 s. */
export const RECONNECT_AFTER_MS = [1_000, 2_000, 5_000, 10_000] as const;

const TOPICS = ["hello", "catalogue", "views", "jobs"] as const;

/**
 * Listens to the server's events while the page is shown. A hidden page hears nothing: it gives its
 * connection back, of which a browser has six for a site, and the `hello` of the next one says
 * what it has missed.
 *
 * @param onReconnect the site is heard again after an attempt has failed.
 * @returns what ends it.
 */
export function listenToEvents(
  address: string,
  onEvent: (event: LiveEvent) => void,
  onReconnect?: () => void,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  const open = () => {
    source = new EventSource(address);
    for (const topic of TOPICS) {
      source.addEventListener(topic, ({ data }: MessageEvent<string>) => {
        if (failures > 0) onReconnect?.();
        failures = 0;
        const { catalogue, studio } = JSON.parse(data) as { catalogue: number; studio?: string };
        onEvent({ topic, version: catalogue, studio });
      });
    }
    // The browser would try again by itself, but not after a 503.
    source.addEventListener("error", () => {
      close();
      const wait = RECONNECT_AFTER_MS[Math.min(failures, RECONNECT_AFTER_MS.length - 1)];
      failures += 1;
      timer = setTimeout(open, wait);
    });
  };
  const close = () => {
    clearTimeout(timer);
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
  // Sooner than the wait after a failure, which may be ten seconds.
  window.addEventListener("online", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    window.removeEventListener("online", follow);
    close();
  };
}
