import fs from "node:fs";

/** Opens a file to read it; undefined when it is not there, or no file. */
export async function openFile(file: string): Promise<fs.promises.FileHandle | undefined> {
  try {
    // Never through a link, and never waiting for the other end of a pipe.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    return await fs.promises.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "ENAMETOOLONG"].includes(code)) return undefined;
    throw error;
  }
}
