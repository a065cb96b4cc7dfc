import { PAGE_SIZE } from "~/shared/pages";
import { listPublished, publishedTotal } from "./published-list.server";

/**
 * The published video at one step of a random walk that comes to each of them once before any comes
 * again, for as long as their number stays. The same seed makes the same walk.
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

/** Steps of a width that shares no divisor with the total come to every number below it once. */
export function walk(seed: number, step: number, total: number): number {
  let width = (Math.floor(seed / 7) % total) + 1;
  while (divisor(width, total) !== 1) width += 1;
  // In whole numbers, which a product of two large ones would leave.
  return Number((BigInt(seed) + BigInt(step) * BigInt(width)) % BigInt(total));
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
