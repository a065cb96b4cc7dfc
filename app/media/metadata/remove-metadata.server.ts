import { queryThread } from "~db/threads/query-thread.server";
import type { MetadataAnswer, MetadataTask } from "./rewrite.server";

/**
 * Removes what a received file says about where, when, by whom and with what it was made, in place and on a
 * thread of its own. Digests of what was received are computed before.
 *
 * @returns whether the file may be public as it is now. If not, it is unchanged, and only a copy of its video and
 *   sound may be.
 * @throws where the file could not be read or written; it is unchanged then.
 */
export async function removeMetadata(task: MetadataTask): Promise<boolean> {
  const answer = await queryThread<MetadataAnswer>("files", "remove-metadata", task);
  if ("failed" in answer) throw new Error(answer.failed);
  return answer.done !== "copy";
}
