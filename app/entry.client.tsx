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
 * Waits until `RemixBrowser` can render. It throws a promise until the data after the page is received and decoded. A
 * key press or tap right after `hydrateRoot` makes React render synchronously, and a promise thrown then breaks the
 * page for good (React error 345, "Root did not complete"). Calling it here is safe, because it throws before it calls
 * any hook.
 */
async function waitForData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (waiting) {
    await waiting;
  }
}
