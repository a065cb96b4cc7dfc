import { sqliteHandle } from "~db/client.server";
import type { ReferenceVideo } from "./catalogue-reference";

const COLUMNS = ["id", "title", "category", "tags", "status", "views", "created_at"] as const;
let lastOrder = 0;

/** Returns a video with default values for all columns that aren't given. */
export function video(given: Partial<ReferenceVideo> & { id: string }): ReferenceVideo {
  lastOrder += 1;
  return {
    title: "A video",
    category: "desi",
    tags: null,
    status: "published",
    views: 0,
    created_at: "2026-01-01T00:00:00.000Z",
    listingOrder: lastOrder,
    ...given,
  };
}

/** Writes videos in the given order with plain SQL statements, as another tool would. */
export function write(videos: readonly ReferenceVideo[], statement = "INSERT"): void {
  const insert = sqliteHandle().prepare(
    `${statement} INTO videos (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map((name) => `@${name}`).join(", ")})`,
  );
  sqliteHandle().transaction(() => {
    for (const each of videos) {
      insert.run({ ...each, tags: each.tags && JSON.stringify(each.tags) });
    }
  })();
}

export const ids = (videos: readonly { id: string }[]) => videos.map(({ id }) => id);
