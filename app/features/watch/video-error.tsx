import { isRouteErrorResponse, useRouteError } from "@remix-run/react";
import { VideoOff } from "lucide-react";
import type { ReactNode } from "react";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { ErrorPage } from "~/ui/feedback/error-page";
import { ListError } from "~/ui/feedback/list-error";

/** Returns whether an error means that there is no published video at this URL. */
export function isNotFound(error: unknown): boolean {
  return isRouteErrorResponse(error) && error.status === 404;
}

/**
 * The page that replaces the video page if the video doesn't exist or can't be loaded (specification, sections 2 and
 * 8).
 */
export function VideoError() {
  const error = useRouteError();
  if (isNotFound(error)) {
    return (
      <Frame title="Video not found">
        <EmptyState
          icon={<VideoOff />}
          title="The video you're looking for doesn't exist or has been removed."
          action={<ButtonLink to="/">Back to Home</ButtonLink>}
        />
      </Frame>
    );
  }
  if (isRouteErrorResponse(error) && error.status === 500) {
    return (
      <Frame title="Something went wrong">
        <ListError message={error.data} />
      </Frame>
    );
  }
  return <ErrorPage />;
}

function Frame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="py-10">
      <h1 className="text-center text-xl font-bold">{title}</h1>
      {children}
    </div>
  );
}
