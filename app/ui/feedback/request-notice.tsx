import { WifiOff } from "lucide-react";
import { useEffect } from "react";
import { listenToEvents } from "../live/event-client";
import {
  type RequestFailure,
  retryFailedRequests,
  useRequestFailure,
} from "../live/failed-requests";
import { RetryButton, useListFailure } from "./list-error";

/**
 * Shows over the page that the next one, or its newer state, could not be loaded, unless the list on it
 * shows that. The request is sent again by Retry, when the browser is online again, and when the site
 * can be reached again.
 */
export function RequestNotice() {
  const failure = useRequestFailure();
  return failure && <Notice failure={failure} />;
}

function Notice({ failure }: { failure: RequestFailure }) {
  const isShownByList = useListFailure() !== undefined;
  useEffect(() => listenToEvents("/events", () => {}, retryFailedRequests), []);
  if (isShownByList) return null;
  return (
    <div
      role="alert"
      className="pointer-events-auto flex w-full max-w-sm animate-rise flex-wrap items-center gap-3 rounded-lg border border-line-strong bg-raised p-4 lifted"
    >
      <WifiOff aria-hidden="true" className="size-5 shrink-0 text-bad" />
      <p className="min-w-0 flex-1 basis-40 text-sm font-semibold">
        Error loading {failure.target === "videos" ? "videos" : "the page"}: {failure.message}
      </p>
      <RetryButton failure={failure} size="sm" />
    </div>
  );
}
