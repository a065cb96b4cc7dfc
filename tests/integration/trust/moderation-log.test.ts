import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendToLog, logHead, textDigest, verifyLog } from "~/trust/moderation-log.server";
import { sqliteHandle, writeTransaction } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const append = (count: number) =>
  writeTransaction(() => {
    for (let n = 1; n <= count; n += 1) {
      appendToLog({ action: "keep", videoId: `v${n}`, userId: "u", detail: { after: n } });
    }
  });
/** What somebody does who has the database file and removes the triggers first. */
const forge = (sql: string) =>
  sqliteHandle().exec(`
    DROP TRIGGER moderation_log_kept; DROP TRIGGER moderation_log_complete;
    DROP TRIGGER moderation_log_appended; ${sql}`);

describe("the log of moderators' decisions", () => {
  it("is a chain that the check follows to its end", async () => {
    expect(await verifyLog()).toEqual({ entries: 0, head: "" });
    await append(3);
    const { hash } = logHead();
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await verifyLog()).toEqual({ entries: 3, head: hash });
  });

  it("is written with what it tells of, or not at all", async () => {
    expect(() => appendToLog({ action: "keep" })).toThrow("in a transaction");
    const failed = writeTransaction(() => {
      appendToLog({ action: "keep" });
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    await append(2);
    expect(await verifyLog()).toMatchObject({ entries: 2 });
    expect(await verifyLog()).not.toHaveProperty("broken");
  });

  it("can be changed by no statement", async () => {
    await append(2);
    const run = (sql: string) => () => sqliteHandle().exec(sql);
    expect(run("UPDATE moderation_log SET action = 'remove'")).toThrow("never changed");
    expect(run("DELETE FROM moderation_log WHERE id = 2")).toThrow("never shortened");
    expect(
      run("INSERT OR REPLACE INTO moderation_log SELECT * FROM moderation_log WHERE id = 1"),
    ).toThrow("never changed");
    expect(await verifyLog()).toMatchObject({ entries: 2 });
  });

  it.each([
    [
      "an entry is edited",
      "UPDATE moderation_log SET action = 'hide' WHERE id = 250",
      /^Entry 250 /,
    ],
    ["who did it is edited", "UPDATE moderation_log SET user_id = NULL WHERE id = 1", /^Entry 1 /],
    ["a time is moved", "UPDATE moderation_log SET at = '2020' WHERE id = 9", /^Entry 9 /],
    ["an entry is taken out", "DELETE FROM moderation_log WHERE id = 100", /^Entry 100 is missing/],
    ["the first are", "DELETE FROM moderation_log WHERE id < 3", /^Entries 1 to 2 are missing/],
    [
      "the last are",
      "DELETE FROM moderation_log WHERE id > 298",
      /^Entries 299 to 300 are missing/,
    ],
    ["all are", "DELETE FROM moderation_log", /^Entries 1 to 300 are missing/],
    [
      "two change places",
      `UPDATE moderation_log SET id = 1000 WHERE id = 5; UPDATE moderation_log SET id = 5 WHERE id = 6;
       UPDATE moderation_log SET id = 6 WHERE id = 1000`,
      /^Entry 5 /,
    ],
    [
      "one is slipped in at the end",
      `INSERT INTO moderation_log SELECT 301, at, 'remove', NULL, 'v', NULL, '{}', hash, hash
       FROM moderation_log WHERE id = 300`,
      /^Entry 301 /,
    ],
  ])("names the first entry that is not as written when %s", async (_, sql, sentence) => {
    await append(300);
    forge(sql);
    expect((await verifyLog()).broken).toMatch(sentence);
  });

  it("has another head when its end is written anew, which whoever noted it sees", async () => {
    await append(2);
    const noted = logHead().hash;
    forge(
      "DELETE FROM moderation_log WHERE id = 2; UPDATE sqlite_sequence SET seq = 1 WHERE name = 'moderation_log'",
    );
    await writeTransaction(() => appendToLog({ action: "keep", videoId: "other" }));
    expect(await verifyLog()).toMatchObject({ entries: 2 });
    expect(logHead().hash).not.toBe(noted);
  });

  it("is checked without holding the thread", async () => {
    for (let n = 0; n < 10; n += 1) await append(2_000);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    expect(await verifyLog()).toMatchObject({ entries: 20_000 });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  }, 60_000);

  it("holds no text that was typed, only its digest", () => {
    expect(textDigest("why")).toMatch(/^[0-9a-f]{64}$/);
  });
});
