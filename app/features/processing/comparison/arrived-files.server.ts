import { digestOf } from "~/media/intake/tus-store.server";
import { transaction } from "~db/client.server";
import { hasBlockedMd5s, isBlockedFile, isBlockedMd5 } from "./blocked-films.server";

/** A file that is about to become a video, or to replace one's. */
export interface ArrivedFile {
  path: string;
  /** Hexadecimal; undefined where there is no file. */
  sha256?: string;
  /** Hexadecimal, once the list has MD5 digests to compare it with. */
  md5?: string;
}

/** Whether the list has a file's bytes, or a digest of it. The file is read only while the list has MD5 digests. */
export async function isOnBlockList(file: ArrivedFile): Promise<boolean> {
  let found = compare(file);
  while (found === "needs MD5") {
    file.md5 = await digestOf(file.path, "md5");
    found = compare(file);
  }
  return found;
}

/**
 * Runs the transaction that writes the rows of files, with those that aren't on the block list. They're compared in
 * that transaction, since the list may have grown while they were examined.
 */
export async function insertUnblocked<T extends ArrivedFile, R>(
  files: readonly T[],
  insert: (unblocked: T[]) => R,
): Promise<R> {
  for (;;) {
    for (const file of files) await isOnBlockList(file);
    const inserted = await transaction(() => {
      const found = files.map(compare);
      if (found.includes("needs MD5")) return undefined;
      return { result: insert(files.filter((_, at) => !found[at])) };
    });
    if (inserted) return inserted.result;
  }
}

function compare({ sha256, md5 }: ArrivedFile): boolean | "needs MD5" {
  if (sha256 === undefined) return false;
  if (isBlockedFile(sha256)) return true;
  if (md5 !== undefined) return isBlockedMd5(md5);
  return hasBlockedMd5s() && "needs MD5";
}
