import { ScrollRestoration as RemixScrollRestoration } from "@remix-run/react";
import { useContext, useState } from "react";
import { UNSAFE_DataRouterStateContext as RouterState } from "react-router";

/**
 * Brings back how far a page was scrolled, once for each time that one arrives at it. Remix's own does so
 * after each refresh of the page's data too, with the position at which the refresh began: who scrolls
 * meanwhile is thrown back (mended in React Router 7 by
 * https://github.com/remix-run/react-router/pull/13671). So it is shown the router's state of the arrival.
 */
export function ScrollRestoration({ nonce }: { nonce?: string }) {
  const state = useContext(RouterState);
  const [arrival, setArrival] = useState(state);
  if (arrival?.location !== state?.location) setArrival(state);
  return (
    <RouterState.Provider value={arrival}>
      <RemixScrollRestoration nonce={nonce} />
    </RouterState.Provider>
  );
}
