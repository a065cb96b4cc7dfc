import { WifiOff } from "lucide-react";
import { useEffect } from "react";
import { listenToEvents } from "~/live/event-client";
import {
  type RequestFailure,
  retryFailedRequests,
  useRequestFailure,
} from "~/live/failed-requests";
import { Button } from "../button";

/**
 * Says over the page that the next one, or its newer state, could not be loaded. The request is sent
 * again by Retry, when the browser is online again, and when the site can be reached again.
 */
export function RequestNotice() {
  const failure = useRequestFailure();
  const isFailing = failure !== undefined;

  useEffect(() => {
    if (isFailing) return listenToEvents("/events", () => {}, retryFailedRequests);
  }, [isFailing]);

  if (!failure) return null;
  return (
    <div
      role="alert"
      className="pointer-events-auto flex w-full max-w-sm animate-rise flex-wrap items-center gap-3 rounded-lg border border-line-strong bg-raised p-4 lifted"
    >
      <WifiOff aria-hidden="true" className="size-5 shrink-0 text-bad" />
      <p className="min-w-0 flex-1 basis-40 text-sm font-semibold">{sentence(failure)}</p>
      <Button
        type="button"
        size="sm"
        aria-disabled={failure.isRetrying || undefined}
        onClick={retryFailedRequests}
      >
        {failure.isRetrying ? "Retrying..." : "Retry"}
      </Button>
    </div>
  );
}

function sentence({ target, isOffline }: RequestFailure): string {
  if (target === "videos") {
    return `Error loading videos: ${isOffline ? "You are offline." : "Failed to fetch videos."}`;
  }
  return `Error loading the page: ${isOffline ? "You are offline." : "The site could not be reached."}`;
}
