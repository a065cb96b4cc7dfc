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
 * Waits until `RemixBrowser` can render. `RemixBrowser` throws a promise until the data at the end of the page has been
 * received and decoded. If the user presses a key or taps right after `hydrateRoot`, React renders synchronously, and a
 * promise thrown at that point breaks the page permanently (React error 345, "Root did not complete"). Calling it here
 * is safe, because it throws before it calls any hook.
 */
async function waitForData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (waiting) {
    await waiting;
  }
}
