import type { Transaction } from "kysely";
import { recordActivity } from "~/account/activity.server";
import { formatQuantity } from "~/shared/format";
import type { Schema } from "~db/schema";

/** The entry of an import among the activities. */
export interface ImportActivity {
  /** Counts videos in the transaction that writes their rows: killed, an import has said no more. */
  count(videos: number, transaction: Transaction<Schema>): Promise<void>;
}

/** Nothing is written before the first video. */
export function importActivity(userId: string): ImportActivity {
  let committed: { id: number; videos: number } | undefined;
  return {
    async count(videos, transaction) {
      const total = (committed?.videos ?? 0) + videos;
      const detail = formatQuantity(total, "video");
      let id = committed?.id;
      if (id === undefined) {
        id = await recordActivity({ userId, action: "import", detail }, transaction);
      } else {
        await transaction.updateTable("activities").set({ detail }).where("id", "=", id).execute();
      }
      // A transaction that fails ends the import, and nothing is counted after it.
      committed = { id, videos: total };
    },
  };
}
