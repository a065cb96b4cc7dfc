import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendToLog, textDigest } from "~/platform/activity/moderation-log.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const entries = () => sqliteHandle().prepare("SELECT * FROM moderation_log ORDER BY id").all();
const append = (count: number) =>
  transaction(() => {
    for (let n = 1; n <= count; n += 1) {
      appendToLog({ action: "keep", videoId: `v${n}`, userId: "u", detail: { after: n } });
    }
  });

describe("the moderation log", () => {
  it("stores an entry with its time", async () => {
    const at = "2026-11-27T12:00:00.000Z";
    const entry = { action: "remove", reportId: "r", videoId: "v", userId: "u" };
    await transaction(() => appendToLog({ ...entry, detail: { kind: "other" } }, Date.parse(at)));
    expect(entries()).toEqual([
      {
        ...{ id: 1, at, action: "remove", report_id: "r", video_id: "v", user_id: "u" },
        detail: '{"kind":"other"}',
      },
    ]);
  });

  it("is written in the same transaction as the action, or not at all", async () => {
    expect(() => appendToLog({ action: "keep" })).toThrow("in a transaction");
    const failed = transaction(() => {
      appendToLog({ action: "keep" });
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(entries()).toEqual([]);
  });

  it.each([
    ["an update", "UPDATE moderation_log SET action = 'remove'", "never changed"],
    ["a deletion", "DELETE FROM moderation_log WHERE id = 2", "never shortened"],
    [
      "a replacement",
      "INSERT OR REPLACE INTO moderation_log SELECT * FROM moderation_log WHERE id = 1",
      "never changed",
    ],
  ])("rejects %s", async (_, sql, message) => {
    await append(2);
    const before = entries();
    expect(() => sqliteHandle().exec(sql)).toThrow(message);
    expect(entries()).toEqual(before);
  });

  it("stores digests instead of text", () => {
    expect(textDigest("why")).toMatch(/^[0-9a-f]{64}$/);
  });
});
