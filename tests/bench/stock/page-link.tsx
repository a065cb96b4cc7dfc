import { Link, useViewTransitionState } from "@remix-run/react";

/** The router's own, which resolves its address against the matched routes. */
export const PageLink = Link;
export const useIsTransitioning = useViewTransitionState;
/** Decides about clicks, and no browser is started here. */
export const isForBrowser = () => true;
