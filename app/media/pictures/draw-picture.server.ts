import fs from "node:fs/promises";
import { withTemporaryPath } from "../files/temporary-files.server";
import { type PictureTask, processPicture } from "./picture-process.server";

type Drawing = Omit<Extract<PictureTask, { kind: "drawing" }>, "kind" | "target">;

/** A PNG of one of the site's own drawings, made by the picture process like every other picture. */
export function drawPicture(drawing: Drawing): Promise<Buffer> {
  return withTemporaryPath(async (target) => {
    await processPicture({ kind: "drawing", ...drawing, target });
    return fs.readFile(target);
  });
}
