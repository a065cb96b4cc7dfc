import fs from "node:fs/promises";
import { removeTemporary, temporaryPath } from "../files/temporary-files.server";
import { type PictureTask, processPicture } from "./picture-process.server";

type Drawing = Omit<Extract<PictureTask, { kind: "drawing" }>, "kind" | "target">;

/** A PNG of one of the site's own drawings, made by the picture process like every other picture. */
export async function drawPicture(drawing: Drawing): Promise<Buffer> {
  const target = await temporaryPath();
  try {
    await processPicture({ kind: "drawing", ...drawing, target });
    return await fs.readFile(target);
  } finally {
    await removeTemporary(target);
  }
}
