import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { migrateFormerKeys } from "~/features/visitor/transfer";
import { watchPageRequests } from "~/ui/live/failed-requests";

watchPageRequests();
migrateFormerKeys();
void waitForData().then(() => {
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <RemixBrowser />
      </StrictMode>,
    );
  });
});

/**
 * `RemixBrowser` throws a promise until the data behind the page have come and are decoded. A key or
 * a tap right after `hydrateRoot` makes React render at once, and what throws a promise then is given
 * up: the page would never answer (React error 345, "Root did not complete"). So its promise is
 * awaited first; it is thrown before any hook is called.
 */
async function waitForData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (waiting) {
    await waiting;
  }
}
