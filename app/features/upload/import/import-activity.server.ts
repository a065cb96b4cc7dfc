import { changeActivity, recordActivity } from "~/platform/activity/activity.server";
import { formatQuantity } from "~/shared/format";

/** The entry of an import among the activities. */
export interface ImportActivity {
  /** Counts videos in the transaction that writes their rows: killed, an import has said no more. */
  count(videos: number): void;
}

/** Nothing is written before the first video. */
export function importActivity(userId: string): ImportActivity {
  let committed: { id: number; videos: number } | undefined;
  return {
    count(videos) {
      const total = (committed?.videos ?? 0) + videos;
      const detail = formatQuantity(total, "video");
      let id = committed?.id;
      if (id === undefined) {
        id = recordActivity({ userId, action: "import", detail });
      } else {
        changeActivity(id, detail);
      }
      // A transaction that fails ends the import, and nothing is counted after it.
      committed = { id, videos: total };
    },
  };
}
