/** In the page: whether React has taken it over, by the root that it keeps on the document. */
export function isHydrated(): boolean {
  if (!("__remixContext" in window)) return true;
  const name = Object.keys(document).find((key) => key.startsWith("__reactContainer$"));
  const root = name && (document as unknown as Record<string, Root>)[name];
  return root ? !root.stateNode.current.memoizedState.isDehydrated : false;
}

interface Root {
  stateNode: { current: { memoizedState: { isDehydrated: boolean } } };
}
