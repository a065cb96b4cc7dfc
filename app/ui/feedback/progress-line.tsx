import { useNavigation } from "@remix-run/react";
import { useRequestFailure } from "../live/failed-requests";

/**
 * A thin line at the top of the page that is shown while the next page is loading. The current page stays visible
 * meanwhile.
 */
export function ProgressLine() {
  const navigation = useNavigation();
  const hasFailed = useRequestFailure() !== undefined;
  if (navigation.state === "idle" || hasFailed) return null;
  return (
    <div
      aria-hidden="true"
      className="fixed inset-x-0 top-0 z-50 h-0.5 origin-left animate-progress bg-accent"
    />
  );
}
