/** Returns whether React has hydrated the page. React then stores its root on the document. Runs in the page. */
export function isHydrated(): boolean {
  if (!("__remixContext" in window)) return true;
  const name = Object.keys(document).find((key) => key.startsWith("__reactContainer$"));
  const root = name && (document as unknown as Record<string, Root>)[name];
  return root ? !root.stateNode.current.memoizedState.isDehydrated : false;
}

interface Root {
  stateNode: { current: { memoizedState: { isDehydrated: boolean } } };
}
