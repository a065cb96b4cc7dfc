import fs from "node:fs";

/** Opens a file for reading; undefined if it doesn't exist or is a symbolic link. */
export async function openFile(file: string): Promise<fs.promises.FileHandle | undefined> {
  try {
    // Don't follow symbolic links, and don't block on pipes.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    return await fs.promises.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "ENAMETOOLONG"].includes(code)) return undefined;
    throw error;
  }
}

const TYPES: Record<string, string> = {
  "3g2": "video/3gpp2",
  "3gp": "video/3gpp",
  avi: "video/x-msvideo",
  avif: "image/avif",
  flv: "video/x-flv",
  gif: "image/gif",
  jpg: "image/jpeg",
  m3u8: "application/vnd.apple.mpegurl",
  m4s: "video/iso.segment",
  m4v: "video/mp4",
  mkv: "video/x-matroska",
  mov: "video/quicktime",
  mp4: "video/mp4",
  mpg: "video/mpeg",
  mxf: "application/mxf",
  ogv: "video/ogg",
  png: "image/png",
  ts: "video/mp2t",
  vtt: "text/vtt; charset=utf-8",
  webm: "video/webm",
  webp: "image/webp",
  wmv: "video/x-ms-wmv",
};

/** Returns a media file's content type based on its extension, which was derived from its content during the upload. */
export function contentType(path: string): string {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(TYPES, extension) ? TYPES[extension]! : "application/octet-stream";
}

/**
 * Like `contentType`, but also recognizes a MOV that was remuxed to MP4 at the same URL, based on its brand (ISO
 * 14496-12).
 */
export async function mediaType(file: string): Promise<string> {
  const type = contentType(file);
  const handle = type === "video/quicktime" ? await openFile(file) : undefined;
  if (!handle) return type;
  try {
    const { buffer } = await handle.read(Buffer.alloc(12), 0, 12, 0);
    const isMp4 =
      buffer.toString("latin1", 4, 8) === "ftyp" && buffer.toString("latin1", 8) !== "qt  ";
    return isMp4 ? contentType("mp4") : type;
  } finally {
    await handle.close();
  }
}
