import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { lstat, mkdir, readFile, utimes } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { extract, pack } from "tar-stream";
import { type Bucket, bucketFile } from "../bucket.server";

/**
 * A tar with the small files of an entry of a bucket, by their paths in it: `tar xf` in the folder of the
 * bucket is what brings them back by hand.
 */

export interface ArchivedFile {
  /** On the disk. */
  file: string;
  /** In its bucket. */
  path: string;
}

/**
 * Writes a new archive.
 *
 * @returns its SHA-256, hexadecimal, which is the same for the same files; undefined where there is none.
 */
export async function packFiles(
  files: readonly ArchivedFile[],
  archive: string,
): Promise<string | undefined> {
  if (files.length === 0) return undefined;
  const hash = createHash("sha256");
  const tar = pack();
  const written = pipeline(
    tar,
    async function* (chunks) {
      for await (const chunk of chunks as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(archive, { flags: "wx" }),
  );
  try {
    for (const { file, path: name } of files) {
      const { mtime } = await lstat(file);
      const content = await readFile(file);
      await new Promise<void>((resolve, reject) =>
        tar.entry({ name, mtime, mode: 0o644 }, content, (error) =>
          error ? reject(error) : resolve(),
        ),
      );
    }
    tar.finalize();
  } catch (error) {
    tar.destroy(error as Error);
    await written.catch(() => {});
    throw error;
  }
  await written;
  return hash.digest("hex");
}

/**
 * Writes the files of an archive into a folder, as their bucket has them.
 *
 * @param entry the path in the bucket that all of them have to be, or stand below.
 * @returns their paths in the bucket.
 */
export async function unpackFiles(
  archive: string,
  { bucket, path: entry }: { bucket: Bucket; path: string },
  folder: string,
): Promise<string[]> {
  const names: string[] = [];
  const tar = extract();
  let current: { destroy(): unknown } | undefined;
  const unpack = async () => {
    for await (const each of tar) {
      current = each;
      const { name, type, mtime } = each.header;
      const isOfEntry = name === entry || name.startsWith(`${entry}/`);
      if (type !== "file" || !isOfEntry || !bucketFile(bucket, name)) {
        throw new Error(`${name} does not belong into a copy of ${bucket}/${entry}.`);
      }
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await pipeline(each, createWriteStream(file, { flags: "wx" }));
      if (mtime) await utimes(file, mtime, mtime);
      names.push(name);
    }
  };
  try {
    await Promise.all([pipeline(createReadStream(archive), tar), unpack()]);
  } finally {
    // An archive that is cut off ends the tar and not the file that is being read from it.
    current?.destroy();
    tar.destroy();
  }
  return names;
}
