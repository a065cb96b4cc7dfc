export const BLOCK_LIST = "/admin/block-list";

/** Returns the name of a block list entry for sentences. */
export function entryName({ id, title }: { id: number; title: string | null }): string {
  return title === null ? `Entry ${id}` : `“${title}”`;
}
