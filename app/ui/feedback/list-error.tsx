import { Form, useLocation, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { Button } from "../button";
import { EmptyState } from "../empty-state";
import {
  isListPath,
  type RequestFailure,
  retryFailedRequests,
  useRequestFailure,
} from "../live/failed-requests";

/** Shows an error in place of the videos if the page was loaded without them. */
export function ListError({ message }: { message: string }) {
  const { pathname, search } = useLocation();
  return (
    <LoadingError message={message}>
      {/* This is a form because retrying is an action and not a link. It also reloads the page without scripts. */}
      <Form action={pathname} reloadDocument>
        {[...new URLSearchParams(search)].map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <Button>Retry</Button>
      </Form>
    </LoadingError>
  );
}

/** Shows the same error for a failed client-side navigation. Its request waits to be retried. */
export function RequestError({ failure }: { failure: RequestFailure }) {
  return (
    <LoadingError message={failure.message}>
      <RetryButton failure={failure} />
    </LoadingError>
  );
}

/** Retries failed requests. */
export function RetryButton({ failure, size }: { failure: RequestFailure; size?: "sm" }) {
  return (
    <Button
      type="button"
      size={size}
      aria-disabled={failure.isRetrying || undefined}
      onClick={retryFailedRequests}
    >
      {failure.isRetrying ? "Retrying…" : "Retry"}
    </Button>
  );
}

/** Returns the failure of a navigation between lists, whose message replaces the videos. */
export function useListFailure(): RequestFailure | undefined {
  const failure = useRequestFailure();
  const { state } = useNavigation();
  const { pathname } = useLocation();
  const isShown = failure?.target === "videos" && state === "loading" && isListPath(pathname);
  return isShown ? failure : undefined;
}

function LoadingError({ message, children }: { message: string; children: ReactNode }) {
  return (
    <div role="alert">
      <EmptyState title={`Error loading videos: ${message}`} action={children} />
    </div>
  );
}
