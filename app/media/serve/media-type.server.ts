import { openFile } from "../open-file.server";
import { contentType } from "./content-type";

/** A MOV keeps its address when it becomes an MP4: the brand in its first box tells (ISO 14496-12). */
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
