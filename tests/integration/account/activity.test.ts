import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listActivities, recordActivity } from "~/platform/activity/activity.server";
import { sqliteHandle, transaction } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  sqliteHandle().exec("INSERT INTO users (id, email, password_hash) VALUES ('u', 'a@b.c', 'x')");
});
afterEach(() => site.remove());

describe("the activity log", () => {
  it("shows who did what to which video and when, newest entry first", async () => {
    await transaction(() =>
      recordActivity({ userId: "u", action: "publish", subjectId: "v", detail: "A video" }),
    );
    await transaction(() => recordActivity({ userId: null, action: "password-reset" }));
    expect(await listActivities()).toEqual([
      {
        id: 2,
        email: undefined,
        isDeletedAccount: false,
        action: "password-reset",
        subjectId: undefined,
        detail: "",
        createdAt: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({
        email: "a@b.c",
        action: "publish",
        subjectId: "v",
        detail: "A video",
      }),
    ]);
  });

  it("is paginated, and can be filtered by user and by video", async () => {
    for (let n = 1; n <= 60; n++) {
      await transaction(() =>
        recordActivity({ userId: n % 2 ? "u" : null, action: "edit", subjectId: `v${n % 3}` }),
      );
    }
    const first = await listActivities();
    expect([first.length, first[0]!.id, first.at(-1)!.id]).toEqual([50, 60, 11]);
    expect((await listActivities({ before: 11 })).map(({ id }) => id)).toEqual(
      Array.from({ length: 10 }, (_, n) => 10 - n),
    );
    expect(await listActivities({ userId: "u" })).toHaveLength(30);
    expect(await listActivities({ subjectId: "v0" })).toHaveLength(20);
  });

  it("keeps a deleted account's entries, and deletes the oldest entries once the log is full", async () => {
    await transaction(() => recordActivity({ userId: "u", action: "hide", subjectId: "v" }));
    sqliteHandle().exec("DELETE FROM users");
    expect(await listActivities()).toMatchObject([{ email: undefined, action: "hide" }]);
    sqliteHandle().exec("INSERT INTO activities (id, action) VALUES (100000, 'edit')");
    await transaction(() => recordActivity({ userId: null, action: "edit" }));
    expect((await listActivities()).map(({ id }) => id)).toEqual([100_001, 100_000]);
  });
});
