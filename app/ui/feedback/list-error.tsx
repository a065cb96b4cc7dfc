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

/** Shows an error instead of the videos if they couldn't be loaded with the page. */
export function ListError({ message }: { message: string }) {
  const { pathname, search } = useLocation();
  return (
    <LoadingError message={message}>
      {/* This is a form, because retrying is an action and not a link. It reloads the page even without JavaScript. */}
      <Form action={pathname} reloadDocument>
        {[...new URLSearchParams(search)].map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <Button>Retry</Button>
      </Form>
    </LoadingError>
  );
}

/** Shows the same error if a client-side navigation has failed. The request waits until the user retries it. */
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

/** Returns the failure of a navigation between lists. Its message replaces the videos. */
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
