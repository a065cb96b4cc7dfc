import { useSyncExternalStore } from "react";

const never = () => () => {};

/** False in the server's HTML and until scripts have taken over, true afterwards. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
