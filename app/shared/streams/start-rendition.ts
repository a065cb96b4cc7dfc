/** Shorter side in pixels. Smaller renditions are for connections too slow for anything else. */
const START_SIDE = 240;

/**
 * Returns the rendition that playback starts with: a small one, for a fast first frame. The page preloads its
 * beginning, and the player starts with the same one.
 *
 * @param renditions video renditions with their size in pixels.
 */
export function startRendition<T extends { width: number; height: number }>(
  renditions: readonly T[],
): T | undefined {
  const side = ({ width, height }: T) => Math.min(width, height);
  const smallestFirst = [...renditions].sort((a, b) => side(a) - side(b));
  return smallestFirst.find((rendition) => side(rendition) >= START_SIDE) ?? smallestFirst[0];
}
