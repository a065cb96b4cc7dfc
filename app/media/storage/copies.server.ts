import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { prepared, writeTransaction } from "~db/client.server";
import type { MediaName } from "../bucket.server";
import { temporaryPath } from "../intake/received-file.server";
import { type ArchivedFile, packFiles } from "./copy-archive.server";
import { noteRemoval, putOrRemove } from "./remove.server";

/**
 * What stays on the disk of a site with a store (pointers, playlists, captions, pictures) has a copy in it,
 * one object for each entry of `media_files`: a reader fetches these, and a disk that is lost is filled again.
 * The table says which object it is, so a copy of the database knows what belongs to it.
 */

interface Copy {
  key: string;
  sha256: string;
  /** Whether the object was put just now. */
  isNew: boolean;
}

const copyOf = () =>
  prepared("SELECT key, sha256 FROM stored_copies WHERE bucket = @bucket AND path = @path");

/**
 * Puts a copy of an entry into the store, unless the one that it has is the same. It is to be entered by
 * enterCopy().
 *
 * @returns undefined for an entry without a file.
 * @throws {StorageError}
 */
export async function putCopy(
  { bucket, path }: MediaName,
  files: readonly ArchivedFile[],
): Promise<Copy | undefined> {
  const archive = await temporaryPath();
  try {
    const sha256 = await packFiles(files, archive);
    if (sha256 === undefined) return undefined;
    const known = copyOf().get({ bucket, path }) as Omit<Copy, "isNew"> | undefined;
    if (known?.sha256 === sha256) return { ...known, isNew: false };
    const key = `copies/${bucket}/${path}.${randomBytes(8).toString("hex")}.tar`;
    await putOrRemove(key, archive, "application/x-tar");
    return { key, sha256, isNew: true };
  } finally {
    await rm(archive, { force: true });
  }
}

/**
 * Part of a transaction.
 *
 * @returns false when the copy that the entry had is no longer there, so that another is needed; and the key
 *   of an object that nobody needs any more.
 */
export function enterCopy(
  { bucket, path }: MediaName,
  { key, sha256, isNew }: Copy,
): { isThere: boolean; unneeded?: string } {
  if (!isNew) {
    const stays = prepared(
      "UPDATE stored_copies SET stale = 0 WHERE bucket = ? AND path = ? AND key = ?",
    );
    return { isThere: stays.run(bucket, path, key).changes > 0 };
  }
  const before = copyOf().get({ bucket, path }) as { key: string } | undefined;
  prepared(
    `INSERT INTO stored_copies (bucket, path, key, sha256) VALUES (@bucket, @path, @key, @sha256)
     ON CONFLICT DO UPDATE SET key = @key, sha256 = @sha256, stale = 0`,
  ).run({ bucket, path, key, sha256 });
  return { isThere: true, unneeded: before?.key };
}

/** Notes the objects of copies that nobody needs any more, so that they are removed. */
export async function removeStaleCopies(): Promise<void> {
  const stale = prepared("SELECT bucket, path, key FROM stored_copies WHERE stale = 1 LIMIT 1000");
  const forget = prepared(
    "DELETE FROM stored_copies WHERE bucket = @bucket AND path = @path AND key = @key AND stale = 1",
  );
  for (;;) {
    const copies = stale.all() as (MediaName & { key: string })[];
    if (copies.length === 0) return;
    for (const copy of copies) {
      const isForgotten = await writeTransaction(() => forget.run(copy).changes > 0);
      if (isForgotten) await noteRemoval(copy.key);
    }
  }
}

/** A row of `stored_copies`. */
export interface StoredCopy extends MediaName {
  key: string;
  sha256: string;
}

/** All that the table knows; those whose files have left the buckets with `stale`. */
export function knownCopies(): (StoredCopy & { stale: 0 | 1 })[] {
  return prepared("SELECT bucket, path, key, sha256, stale FROM stored_copies").all() as ReturnType<
    typeof knownCopies
  >;
}

/** Has another copy made of an entry, whose object is not there. */
export async function copyAgain({ bucket, path, key }: StoredCopy): Promise<void> {
  const forget = prepared("DELETE FROM stored_copies WHERE bucket = ? AND path = ? AND key = ?");
  const look = prepared("UPDATE media_files SET stored = 0 WHERE bucket = ? AND path = ?");
  await writeTransaction(() => {
    if (forget.run(bucket, path, key).changes > 0) look.run(bucket, path);
  });
}
