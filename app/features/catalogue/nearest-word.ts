/**
 * Returns the optimal string alignment distance: the minimum number of insertions, deletions, substitutions and
 * transpositions of adjacent characters. Returns `max + 1` if the distance is greater than `max`.
 */
export function editDistance(one: string, other: string, max: number): number {
  const a = [...one];
  const b = [...other];
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let rowMin = i;
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = last[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      let cost = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
      rowMin = Math.min(rowMin, cost);
    }
    if (rowMin > max) return max + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

/** Returns the maximum edit distance for a correction: 0, 1 or 2, depending on the length of the word. */
export function maxEdits(word: string): number {
  const length = [...word].length;
  if (length < 3) return 0;
  return length < 5 ? 1 : 2;
}

export interface Known {
  text: string;
  /** The number of videos that contain the text. */
  videos: number;
}

/** How many comparisons to perform before checking the deadline again. */
const BATCH = 512;

/**
 * Returns the known text with the smallest edit distance to an unknown one; among equally close candidates, the one
 * with the most videos.
 *
 * @param deadline when to stop and use the best result so far, as a `performance.now()` timestamp.
 */
export function nearest(
  typed: string,
  known: Iterable<string>,
  videosOf: (text: string) => number,
  deadline: number,
): Known | undefined {
  let max = maxEdits(typed);
  let best: Known | undefined;
  let compared = 0;
  for (const text of max > 0 ? known : []) {
    compared += 1;
    if (compared % BATCH === 0 && performance.now() > deadline) break;
    const distance =
      Math.abs(text.length - typed.length) <= 2 * max && editDistance(typed, text, max);
    if (distance === false || distance > max || text === typed) continue;
    const videos = videosOf(text);
    if (videos === 0 || (best && distance === max && videos <= best.videos)) continue;
    best = { text, videos };
    max = distance;
  }
  return best;
}
