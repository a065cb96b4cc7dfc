import { database } from "~db/client.server";

/** Of some ids those that the catalogue has. */
export async function knownIds(ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await database().selectFrom("videos").select("id").where("id", "in", ids).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Of some digests those that a video of the catalogue came in with, and its title. */
export async function knownDigests(digests: string[]): Promise<Map<string, string>> {
  if (digests.length === 0) return new Map();
  const rows = await database()
    .selectFrom("video_digests")
    .innerJoin("videos", "videos.id", "video_digests.video_id")
    .select(["video_digests.sha256", "videos.title"])
    .where("video_digests.sha256", "in", digests)
    .execute();
  return new Map(rows.map(({ sha256, title }) => [sha256, title]));
}
