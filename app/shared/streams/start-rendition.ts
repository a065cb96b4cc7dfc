/** By its shorter side: smaller ones are for lines that nothing else fits. */
const START_SIDE = 240;

/**
 * The rendition that a video begins with: a small one, so that its first picture is quick. The page
 * asks for its beginning, and the player begins with the same.
 *
 * @param renditions pictures alone; in pixels.
 */
export function startRendition<T extends { width: number; height: number }>(
  renditions: readonly T[],
): T | undefined {
  const side = ({ width, height }: T) => Math.min(width, height);
  const smallestFirst = [...renditions].sort((a, b) => side(a) - side(b));
  return smallestFirst.find((rendition) => side(rendition) >= START_SIDE) ?? smallestFirst[0];
}
