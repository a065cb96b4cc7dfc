import { PAGE_SIZE } from "~/shared/pages";
import { listPublished, publishedTotal } from "./published-list.server";

/**
 * Returns the published video at one step of a random walk that visits every video once before any of them repeats, as
 * long as the number of videos doesn't change. The same seed gives the same walk.
 */
export async function surprise(
  seed: number,
  step: number,
): Promise<{ id: string; total: number } | undefined> {
  const { videos: total } = await publishedTotal();
  if (total === 0) return undefined;
  const at = walk(seed, step, total);
  const { videos } = await listPublished({ page: Math.floor(at / PAGE_SIZE) + 1 });
  const video = videos[at % PAGE_SIZE] ?? videos[0];
  return video && { id: video.id, total };
}

/**
 * Returns the number at one step. The step width is coprime to the total, so the steps visit every number below the
 * total once.
 */
export function walk(seed: number, step: number, total: number): number {
  let width = (Math.floor(seed / 7) % total) + 1;
  while (divisor(width, total) !== 1) width += 1;
  // Uses BigInt, because the product may exceed the safe integer range.
  return Number((BigInt(seed) + BigInt(step) * BigInt(width)) % BigInt(total));
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
