export const BLOCK_LIST = "/admin/block-list";

/** What an entry of the block list is called in sentences. */
export function entryName({ id, title }: { id: number; title: string | null }): string {
  return title === null ? `Entry ${id}` : `“${title}”`;
}
