import { Link, useViewTransitionState } from "@remix-run/react";

/** The router's link, which resolves its URL against the matched routes. */
export const PageLink = Link;
export const useIsTransitioning = useViewTransitionState;
/** This is only used for clicks, which don't occur here. */
export const isForBrowser = () => true;
