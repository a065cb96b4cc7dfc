import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Returns false in the server's HTML and until hydration, and true afterwards. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
