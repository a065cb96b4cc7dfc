export const BLOCK_LIST = "/admin/block-list";

/** Returns how messages name a block list entry: its title, or its number. */
export function entryName({ id, title }: { id: number; title: string | null }): string {
  return title === null ? `Entry ${id}` : `“${title}”`;
}
