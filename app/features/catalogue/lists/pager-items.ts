/** A page number, or a gap between two of them. */
export type PagerItem = number | "gap-before" | "gap-after";

/**
 * What the pager shows: the current page, one neighbour on each side, the first and the last
 * page, and an ellipsis wherever pages are left out (specification, section 2, Pager).
 */
export function pagerItems(page: number, pageCount: number): PagerItem[] {
  const items: PagerItem[] = [];
  const first = Math.max(1, page - 1);
  const last = Math.min(pageCount, page + 1);
  if (first > 1) items.push(1);
  if (first > 2) items.push("gap-before");
  for (let number = first; number <= last; number += 1) items.push(number);
  if (last < pageCount - 1) items.push("gap-after");
  if (last < pageCount) items.push(pageCount);
  return items;
}
