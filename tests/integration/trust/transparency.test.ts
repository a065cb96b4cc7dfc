import { beforeEach, describe, expect, it } from "vitest";
import { loader as fileLoader } from "~/features/moderation/routes/transparency-file";
import { countTransparency } from "~/features/moderation/transparency-figures.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { useAdminSite } from "../../admin-requests";

useAdminSite();
const counted = () => countTransparency(sqliteHandle())();
const add = (id: string, columns: Record<string, string | null>) => {
  const row = {
    ...{ id, kind: "consent", state: "closed", decision: "remove" },
    ...{ received_at: "2026-11-01T00:00:00.000Z", due_at: "2026-11-03T00:00:00.000Z" },
    ...{ closed_at: "2026-11-01T03:00:00.000Z", ...columns },
  };
  const names = Object.keys(row);
  sqliteHandle()
    .prepare(`INSERT INTO reports (${names}) VALUES (${names.map((name) => `@${name}`)})`)
    .run(row);
};

describe("the transparency figures", () => {
  it("are empty if there are no reports", async () => {
    expect(counted()).toEqual([]);
    const response = await fileLoader();
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=300");
    expect(await response.json()).toEqual({ periods: [] });
  });

  describe("about reports", () => {
    beforeEach(async () => {
      add("a", {});
      add("b", { decision: "keep", kind: "other", closed_at: "2026-11-01T05:00:00.000Z" });
      add("c", { decision: "keep", closed_at: "2026-11-10T00:00:00.000Z" });
      // This report wasn't decided by a moderator, so it doesn't count toward the median.
      add("d", { decision: "withdrawn", closed_at: "2026-12-30T00:00:00.000Z" });
      add("e", { state: "open", decision: null, closed_at: null });
      add("f", { received_at: "2027-01-01T00:00:00.000Z", closed_at: "2027-01-02T00:00:00.000Z" });
      await transaction(() => {
        const now = Date.parse("2026-12-31T23:59:59.999Z");
        for (const action of ["hide-at-once", "hide", "remove", "remove", "restore", "ask"]) {
          appendToLog({ action, reportId: "a", videoId: "v", userId: "u" }, now);
        }
        // This is a decision on a report without a video.
        appendToLog({ action: "remove", reportId: "a", userId: "u" }, now);
      });
    });

    it("are grouped by quarter, and include the median time to a decision", () => {
      expect(counted()).toEqual([
        expect.objectContaining({ period: "2027-Q1", removed: 1, medianHours: 24 }),
        {
          ...{ period: "2026-Q4", received: { consent: 4, other: 1 }, open: 1 },
          ...{ kept: 2, removed: 1, restored: 0, withdrawn: 1, medianHours: 5 },
          ...{ videosHiddenAtOnce: 1, videosHidden: 1, videosRemoved: 2, videosReinstated: 1 },
        },
      ]);
    });

    it("don't contain names, and are updated after a new log entry", async () => {
      const text = await (await fileLoader()).text();
      const before = counted();
      expect(JSON.parse(text)).toEqual({ periods: before });
      expect(text).not.toMatch(/"v"|"u"|a@b\.c/);
      await transaction(() => appendToLog({ action: "remove", videoId: "w" }));
      expect(counted()).not.toEqual(before);
      expect(await (await fileLoader()).json()).toEqual({ periods: counted() });
    });
  });
});
