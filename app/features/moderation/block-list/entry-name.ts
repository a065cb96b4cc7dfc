export const BLOCK_LIST = "/admin/block-list";

/** Returns the name of a block list entry for use in messages: its title, or else its number. */
export function entryName({ id, title }: { id: number; title: string | null }): string {
  return title === null ? `Entry ${id}` : `“${title}”`;
}
