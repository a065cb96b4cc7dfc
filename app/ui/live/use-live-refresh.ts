import { useNavigation, useRevalidator, useRouteLoaderData } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { listenToEvents } from "./event-client";
import { retryFailedRequests } from "./failed-requests";

/** All open lists are notified of a change at the same time, so their requests are spread over this interval. */
export const SPREAD_MS = 300;

interface Versions {
  catalogueVersion?: number;
  studioVersion?: string;
}

/**
 * Refetches the page's data when the catalogue has changed: within a second, once for several changes, after any
 * pending navigation, and not for changes that the page already shows. Changes made before the page started to listen
 * count too. Typed values and the scroll position are kept.
 *
 * @param options.jobs also refetch for jobs and unpublished changes, for signed-in users.
 */
export function useLiveRefresh({ jobs = false }: { jobs?: boolean } = {}): void {
  const { revalidate, state } = useRevalidator();
  const navigation = useNavigation();
  const root = useRouteLoaderData("root") as Versions | undefined;
  const shown = useRef(root);
  shown.current = root;
  const [isDue, setIsDue] = useState(false);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listenToEvents(jobs ? "/events?jobs" : "/events", ({ topic, version, studio }) => {
      const { catalogueVersion, studioVersion } = shown.current ?? {};
      const isOlder = version !== catalogueVersion || (studio && studio !== studioVersion);
      const isNews = topic === "views" || topic === "jobs" || isOlder;
      if (!isNews || timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        setIsDue(true);
        retryFailedRequests();
      }, Math.random() * SPREAD_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [jobs]);

  const isIdle = state === "idle" && navigation.state === "idle";
  useEffect(() => {
    if (!isDue || !isIdle) return;
    setIsDue(false);
    revalidate();
  }, [isDue, isIdle, revalidate]);
}
