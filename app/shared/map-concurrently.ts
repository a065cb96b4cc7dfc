/** How many files to process at the same time, so that the time spent waiting for the disk overlaps. */
const CONCURRENCY = 8;

/** Runs `work` for each item, a few at a time, and returns the results in the order of the items. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const lane = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return results;
}
