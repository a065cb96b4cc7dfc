import { bucketFile, parseMediaUrl } from "~/media/bucket.server";
import { localFile } from "~/media/files/local-copies.server";
import { posterColors } from "~/media/images/process-image.server";
import { database } from "~db/client.server";

/** Computes missing poster colors for rows that another tool has written. Returns the number of rows. */
export async function fillPosterColors(): Promise<number> {
  const rows = await database()
    .selectFrom("videos")
    .select(["id", "thumbnail_url"])
    .where("thumbnail_url", "is not", null)
    .where("poster_colors", "is", null)
    .execute();
  let filled = 0;
  for (const { id, thumbnail_url } of rows) {
    const name = parseMediaUrl(thumbnail_url ?? "");
    const file = name && bucketFile(name.bucket, name.path);
    const colors = file && (await posterColors(await localFile(file)));
    if (!colors) continue;
    const { numUpdatedRows } = await database()
      .updateTable("videos")
      .set({ poster_colors: colors })
      .where("id", "=", id)
      // The thumbnail may have been replaced in the meantime.
      .where("thumbnail_url", "=", thumbnail_url)
      .executeTakeFirst();
    filled += Number(numUpdatedRows);
  }
  return filled;
}
