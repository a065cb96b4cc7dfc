import { useNavigation, useRevalidator, useRouteLoaderData } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { listenToEvents } from "./event-client";
import { retryFailedRequests } from "./failed-requests";

/** Open lists everywhere hear of a change at the same moment; they ask for it spread over this. */
export const SPREAD_MS = 300;

interface Versions {
  catalogueVersion?: number;
  studioVersion?: string;
}

/**
 * Refetches the data of the page when the catalogue has changed: within a second, once for several
 * changes, not before a navigation under way has ended, and not for a change that the page shows
 * already. What happened before the page began to listen counts too. What is typed and how far it is scrolled stays.
 *
 * @param options.jobs also while conversions go on and when what is not public has changed, for who is signed in.
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
