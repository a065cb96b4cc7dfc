import { afterEach, describe, expect, it, vi } from "vitest";
import { createToken } from "~/features/accounts/tokens/tokens.server";
import { action as actOnApi } from "~/features/api/routes/api";
import { listPublished } from "~/features/catalogue/published-list.server";
import type { BulkPreview } from "~/features/library/bulk/bulk";
import { performDue, startSchedule } from "~/features/library/change-visibility.server";
import { DEFAULT_VIEW, readManageView } from "~/features/library/list/manage-address";
import { findVideoIds, listManaged } from "~/features/library/list/managed-list.server";
import { hold, releaseHold } from "~/features/visibility/holds.server";
import { listActivities } from "~/platform/activity/activity.server";
import { sqliteHandle, transaction } from "~db/client.server";
import {
  addVideo,
  expectFailure,
  expectSuccess,
  page,
  sendForResult,
  useAdminSite,
  video,
} from "../../admin-requests";

useAdminSite();
afterEach(() => vi.useRealTimers());

const NOON = Date.parse("2030-01-01T12:00:00.000Z");
const at = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString();
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const statusAfter = async (minutes: number, id = "v") => {
  await performDue(Date.parse(at(minutes)));
  return video(id)?.status;
};
const published = async () => (await listPublished({ page: 1 })).videos.map(({ id }) => id);

describe("a video's schedule", () => {
  it("publishes the video at the scheduled time and not before, as a new video", async () => {
    addVideo({ id: "old", status: "published", created_at: at(-60) });
    addVideo({ status: "hidden", created_at: "2020-01-01T00:00:00.000Z", publish_at: at(1) });
    expect(await statusAfter(0)).toBe("hidden");
    expect(await published()).toEqual(["old"]);
    expect(await statusAfter(1)).toBe("published");
    expect(video()).toMatchObject({ created_at: at(1), publish_at: null });
    expect(await published()).toEqual(["v", "old"]);
    expect((await listActivities())[0]).toMatchObject({
      email: undefined,
      action: "publish-scheduled",
      subjectId: "v",
      detail: "A video",
    });
  });

  it("hides the video at the scheduled time", async () => {
    addVideo({ status: "published", unpublish_at: at(5) });
    expect(await statusAfter(4)).toBe("published");
    expect(await statusAfter(5)).toBe("hidden");
    expect(video()?.unpublish_at).toBeNull();
    expect(await published()).toEqual([]);
    expect((await listActivities())[0]?.action).toBe("hide-scheduled");
  });

  it("doesn't publish the video if the entire schedule passed while the site was down", async () => {
    addVideo({ status: "review", publish_at: at(1), unpublish_at: at(2) });
    expect(await statusAfter(3)).toBe("review");
    expect(video()).toMatchObject({ publish_at: null, unpublish_at: null });
    expect(await listActivities()).toEqual([]);
  });

  it("doesn't change a video that was published or hidden before its scheduled time", async () => {
    const created_at = "2020-01-01T00:00:00.000Z";
    addVideo({ id: "shown", status: "published", created_at, publish_at: at(1) });
    addVideo({ id: "gone", status: "hidden", unpublish_at: at(1) });
    await performDue(Date.parse(at(2)));
    expect(video("shown")).toMatchObject({ status: "published", created_at, publish_at: null });
    expect(video("gone")).toMatchObject({ status: "hidden", unpublish_at: null });
  });

  it("is applied to every video that is due, even if there are many", async () => {
    for (let n = 0; n < 100; n += 1) addVideo({ id: `v${n}`, status: "hidden", publish_at: at(1) });
    await performDue(Date.parse(at(1)));
    const counted = sqliteHandle().prepare(
      "SELECT count(*) FROM videos WHERE status = 'published'",
    );
    expect(counted.pluck().get()).toBe(100);
  });

  it("is applied at startup, and every second after that", async () => {
    addVideo({ status: "hidden", publish_at: "2020-01-01T00:00:00.000Z" });
    vi.useFakeTimers({ toFake: ["setInterval"] });
    startSchedule();
    await vi.waitFor(() => expect(video()?.status).toBe("published"));
    addVideo({ id: "later", status: "hidden", publish_at: "2020-01-01T00:00:00.000Z" });
    vi.advanceTimersByTime(1_000);
    await vi.waitFor(() => expect(video("later")?.status).toBe("published"));
  });

  it("is stored in a single format, which sorts correctly as text", () => {
    for (const text of [
      "2030-01-01 12:00:00",
      "2030-01-01T12:00:00+02:00",
      "soon",
      "????-??-??T",
    ]) {
      expect(() => addVideo({ id: text, publish_at: text })).toThrow(/CHECK/);
      expect(() => addVideo({ id: text, unpublish_at: text })).toThrow(/CHECK/);
    }
  });
});

describe("the schedule form", () => {
  const form = (publishAt: string, unpublishAt = "") => ({
    intent: "schedule",
    id: "v",
    publishAt,
    unpublishAt,
  });

  it("saves, shows and removes a schedule", async () => {
    addVideo({ status: "hidden" });
    const [publishAt, unpublishAt] = [inAnHour(), new Date(Date.now() + 7_200_000).toISOString()];
    const saved = await expectSuccess(form(publishAt, unpublishAt));
    expect(saved.toast.description).toBe("The schedule has been saved.");
    expect(video()).toMatchObject({ publish_at: publishAt, unpublish_at: unpublishAt });
    const { manage } = await page("/admin?tab=manage&schedule=v");
    expect(manage?.dialog).toMatchObject({
      kind: "schedule",
      video: { schedule: { publishAt, unpublishAt } },
    });
    const removed = await expectSuccess(form(""));
    expect(removed.toast.description).toBe("The schedule has been removed.");
    expect(video()).toMatchObject({ publish_at: null, unpublish_at: null });
    expect((await listActivities()).map(({ action }) => action)).toEqual([
      "unschedule",
      "schedule",
    ]);
  });

  it("is shown again with the entered values if they are invalid, and changes nothing", async () => {
    addVideo({ status: "hidden", publish_at: at(1) });
    const failure = await expectFailure(form("2020-01-01T00:00", "never"));
    expect(failure).toMatchObject({
      status: 422,
      schedule: {
        typed: { publishAt: "2020-01-01T00:00", unpublishAt: "never" },
        fields: { publishAt: expect.any(String), unpublishAt: expect.any(String) },
      },
    });
    expect(video()?.publish_at).toBe(at(1));
    expect(await listActivities()).toEqual([]);
  });

  it("doesn't schedule the publication of a published video", async () => {
    addVideo({ status: "published" });
    await expectSuccess(form(inAnHour()));
    expect(video()?.publish_at).toBeNull();
  });

  it("responds with 404 if the video doesn't exist", async () => {
    expect(await sendForResult(form(inAnHour()))).toMatchObject({ status: 404 });
  });
});

describe("scheduling many videos", () => {
  const bulk = (what: string, more: Record<string, string> = {}) => ({
    intent: "bulk",
    do: what,
    selected: ["a", "b", "c"],
    ...more,
  });
  const times = () => ["a", "b", "c"].map((id) => [video(id)?.publish_at, video(id)?.unpublish_at]);
  const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

  it("sets and removes schedules, except where they don't apply", async () => {
    const [first, second, third] = [hour(1), hour(2), hour(3)];
    addVideo({ id: "a", title: "First", status: "hidden" });
    addVideo({ id: "b", title: "Second", status: "published" });
    addVideo({ id: "c", title: "Third", status: "review", unpublish_at: second });
    const { toast } = await expectSuccess(bulk("schedule", { publishAt: third }));
    expect(toast.description).toBe(
      "Scheduled 1 video. 1 video was already on this schedule. 1 video was not changed because a video can be hidden only after it has been published: “Third”.",
    );
    expect(times()).toEqual([
      [third, null],
      [null, null],
      [null, second],
    ]);
    const both = await expectSuccess(bulk("schedule", { publishAt: first, unpublishAt: third }));
    expect(both.toast.description).toBe("Scheduled 3 videos.");
    expect(times()).toEqual([
      [first, third],
      [null, third],
      [first, third],
    ]);
    const gone = await expectSuccess(bulk("unschedule"));
    expect(gone.toast.description).toBe("Removed the schedule of 3 videos.");
    expect(times().flat()).toEqual(Array(6).fill(null));
    expect((await listActivities())[0]?.detail).toMatch(/^removed the schedule of 3 videos/);
  });

  it.each([
    ["no time", {}, "Enter a time to publish or hide the videos."],
    ["a past time", { publishAt: "2020-01-01T10:00" }, "That time is in the past."],
    ["an invalid time", { unpublishAt: "soon" }, "Enter a date and time"],
    [
      "the wrong order",
      { publishAt: "2035-01-02T10:00", unpublishAt: "2035-01-01T10:00" },
      "The time to hide the video must be after",
    ],
  ])("is rejected with %s", async (_, fields, message) => {
    addVideo({ id: "a", status: "hidden" });
    const failure = await expectFailure(bulk("schedule", fields));
    expect(failure).toMatchObject({ status: 422, detail: expect.stringContaining(message) });
    expect(video("a")).toMatchObject({ publish_at: null, unpublish_at: null });
  });
});

describe("publishing and hiding manually", () => {
  const IN_A_WEEK = 7 * 24 * 60;
  /** Returns the status after all scheduled times in these tests have passed. */
  const statusLater = () => statusAfter(IN_A_WEEK * 2);
  const times = () => [video()?.publish_at, video()?.unpublish_at];
  const callApi = async (name: "publish" | "hide") => {
    const form = new FormData();
    form.set("name", "a program");
    form.set("days", "7");
    form.append("scope", "publish");
    const token = await createToken(
      { id: "u", email: "a@b.c", role: "owner", mayPublish: true },
      form,
    );
    const request = new Request(`http://localhost/api/v1/videos/v/${name}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
    });
    const args = { request, params: { "*": `videos/v/${name}` }, context: {} };
    expect(((await actOnApi(args)) as Response).status).toBe(200);
  };
  const ways = {
    // The form comes from a page that was loaded when the video may have had another status.
    "the button": async (to: "publish" | "hide") => {
      const isPublished = video()?.status === "published";
      if (isPublished !== (to === "hide")) await expectSuccess({ intent: "toggle", id: "v" });
      await expectSuccess({ intent: "toggle", id: "v" });
    },
    "a bulk change": (to: "publish" | "hide") =>
      expectSuccess({ intent: "bulk", do: to, selected: "v" }),
    "the API": callApi,
  };

  describe.each(Object.entries(ways))("with %s", (_, change) => {
    it("hides a published video permanently, even if its publication was scheduled before", async () => {
      addVideo({ status: "review", publish_at: at(IN_A_WEEK), unpublish_at: at(IN_A_WEEK + 1) });
      await change("publish");
      expect(video()?.status).toBe("published");
      await change("hide");
      expect(times()).toEqual([null, null]);
      expect(await statusLater()).toBe("hidden");
      expect(await published()).toEqual([]);
    });

    it("cancels the schedule of a hidden video", async () => {
      addVideo({ status: "hidden", publish_at: at(IN_A_WEEK) });
      await change("hide");
      expect(times()).toEqual([null, null]);
      expect(await statusLater()).toBe("hidden");
    });

    it("cancels the scheduled publication of a draft that is hidden", async () => {
      addVideo({ status: "review", publish_at: at(IN_A_WEEK) });
      await change("hide");
      expect(await statusLater()).toBe("hidden");
    });

    it("keeps a published video's scheduled hiding and cancels its scheduled publication", async () => {
      addVideo({ status: "hidden", publish_at: at(1), unpublish_at: at(IN_A_WEEK) });
      await change("publish");
      expect(times()).toEqual([null, at(IN_A_WEEK)]);
      expect(await statusAfter(IN_A_WEEK - 1)).toBe("published");
      expect(await statusLater()).toBe("hidden");
    });

    it("publishes a video whose scheduled time to hide has passed, and keeps it published", async () => {
      addVideo({ status: "hidden", unpublish_at: "2020-01-01T00:00:00.000Z" });
      await change("publish");
      expect(await statusLater()).toBe("published");
    });

    it("keeps a video hidden even if its hold is released later", async () => {
      addVideo({ status: "published" });
      await transaction(() => hold({ videoId: "v", reason: "report" }));
      await change("hide");
      await transaction(() => releaseHold({ videoId: "v", reason: "report" }));
      expect(video()?.status).toBe("hidden");
    });
  });

  it("shows in the preview that hiding cancels a schedule", async () => {
    addVideo({ status: "hidden", publish_at: at(1) });
    const response = await sendForResult({
      intent: "bulk",
      do: "hide",
      selected: "v",
      preview: "1",
    });
    expect((response as unknown as { preview: BulkPreview }).preview.rows).toEqual([
      {
        id: "v",
        title: "A video",
        before: "hidden, published at 2030-01-01 12:01 UTC",
        after: "hidden",
      },
    ]);
  });
});

describe("the list of scheduled videos", () => {
  const view = readManageView(new URLSearchParams({ status: "scheduled" }));

  it("contains exactly the videos with a scheduled time, in any status", async () => {
    addVideo({ id: "a", status: "hidden", publish_at: at(1), title: "One of two" });
    addVideo({ id: "b", status: "published", unpublish_at: at(1), category: "english" });
    addVideo({ id: "c", status: "published" });
    addVideo({ id: "d", status: "review", publish_at: at(1), unpublish_at: at(2) });
    const listed = async (more = {}) => {
      const { videos, total } = await listManaged({ ...view, ...more });
      expect(total).toBe(videos.length);
      return videos.map(({ id }) => id).sort();
    };
    expect(await listed()).toEqual(["a", "b", "d"]);
    expect(await listed({ sort: "title" })).toEqual(["a", "b", "d"]);
    expect(await listed({ category: "english" })).toEqual(["b"]);
    expect(await listed({ search: "of tw" })).toEqual(["a"]);
    expect((await findVideoIds(view, 10)).sort()).toEqual(["a", "b", "d"]);
    expect((await listManaged(DEFAULT_VIEW)).total).toBe(4);
  });

  it("can be sorted by the next scheduled time, on every page and in a search", async () => {
    addVideo({ id: "third", status: "hidden", publish_at: at(3), unpublish_at: at(9) });
    addVideo({ id: "first", status: "published", publish_at: at(0), unpublish_at: at(1) });
    addVideo({ id: "second", status: "review", publish_at: at(2) });
    // This video's scheduled time no longer has any effect.
    addVideo({ id: "last", status: "published", publish_at: at(0) });
    const sorted = readManageView(new URLSearchParams({ status: "scheduled", sort: "schedule" }));
    const order = async (search = "") =>
      (await listManaged({ ...sorted, search })).videos.map(({ id }) => id);
    expect(await order()).toEqual(["first", "second", "third", "last"]);
    expect(await order("video")).toEqual(["first", "second", "third", "last"]);
    for (let n = 0; n < 60; n += 1) addVideo({ id: `n${n}`, status: "review", publish_at: at(0) });
    expect(
      (await listManaged({ ...sorted, page: 2 })).videos.map(({ id }) => id).slice(-4),
    ).toEqual(["first", "second", "third", "last"]);
  });

  it("is the only list that can be sorted by the next scheduled time", () => {
    expect(readManageView(new URLSearchParams({ sort: "schedule" })).sort).toBe("newest");
  });
});
