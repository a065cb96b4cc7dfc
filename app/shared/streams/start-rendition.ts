/**
 * The minimum length of the shorter side, in pixels. Smaller renditions are only for connections that are too slow for
 * the others.
 */
const START_SIDE = 240;

/**
 * Returns the rendition that playback starts with. It is a small rendition, so that the first frame appears quickly.
 * The page preloads the beginning of this rendition, and the player starts with it.
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
