import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type BulkPreview, type BulkResult, MAX_BULK_VIDEOS } from "~/features/library/bulk/bulk";
import { changeVideos, type RowChange } from "~/features/library/bulk/bulk.server";
import { DEFAULT_VIEW } from "~/features/library/list/manage-address";
import { listManaged } from "~/features/library/list/managed-list.server";
import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { restoreDeletion } from "~/features/trash/restore.server";
import { purge } from "~/features/trash/trash.server";
import { removeFiles } from "~/media/files/removals.server";
import { listActivities } from "~/platform/activity/activity.server";
import { ensureProjected } from "~db/changes.server";
import { sqliteHandle } from "~db/client.server";
import {
  addVideo,
  expectFailure,
  expectSuccess,
  page,
  sendForResult,
  useAdminSite,
  video,
  writeUpload,
} from "../../admin-requests";
import { addSeries } from "../../series-requests";

const site = useAdminSite();
beforeEach(() => {
  addVideo({ id: "a", title: "First", status: "published", tags: '["One"]' });
  addVideo({ id: "b", title: "Second", status: "hidden", category: "english" });
  addVideo({ id: "c", title: "Third", status: "review", tags: '["one","two"]' });
});

const bulk = (what: string, selected: string[], more: Record<string, string> = {}) => ({
  intent: "bulk",
  do: what,
  selected,
  ...more,
});
const column = (name: string) => ["a", "b", "c"].map((id) => video(id)?.[name]);

/** A date next year. */
const AT = `${new Date().getUTCFullYear() + 1}-01-02T10:00`;

describe("previewing a bulk action", () => {
  const preview = async (fields: Record<string, string | string[]>) => {
    const response = await sendForResult({ ...fields, preview: "1" });
    expect(response.status).toBe(200);
    return (response as unknown as { preview: BulkPreview }).preview;
  };

  it("shows which videos will and won't change, without changing them", async () => {
    const before = column("tags");
    expect(await preview(bulk("add-tags", ["c", "a", "b", "gone"], { tags: "One" }))).toEqual({
      action: "add-tags",
      ids: ["c", "a", "b", "gone"],
      fields: [["tags", "One"]],
      rows: [{ id: "b", title: "Second", before: "", after: "One" }],
      changed: 1,
      unchanged: 2,
      gone: 1,
      refused: [],
    });
    expect(column("tags")).toEqual(before);
  });

  it("covers categories, visibility, schedules and series", async () => {
    const rows = async (what: string, more = {}) =>
      (await preview(bulk(what, ["a", "b", "c"], more))).rows.map(
        ({ title, before, after }) => `${title}: ${before} > ${after}`,
      );
    expect(await rows("category", { category: "english" })).toEqual([
      "First: Desi > English",
      "Third: Desi > English",
    ]);
    expect(await rows("hide")).toEqual(["First: published > hidden", "Third: review > hidden"]);
    const at = { publishAt: AT, unpublishAt: "" };
    expect(await rows("schedule", at)).toEqual([
      `Second:  > published at ${AT.replace("T", " ")} UTC`,
      `Third:  > published at ${AT.replace("T", " ")} UTC`,
    ]);
    addSeries({}, ["b"]);
    expect(await rows("remove-series", { series: "Nights" })).toEqual(["Second: in “Nights” > "]);
    expect(await rows("add-series", { series: "Nights" })).toEqual([
      "First:  > in “Nights”",
      "Third:  > in “Nights”",
    ]);
  });

  it("lists the videos that would be rejected, and performs the action once confirmed", async () => {
    const many = JSON.stringify(Array.from({ length: 50 }, (_, n) => `tag ${n}`));
    sqliteHandle().prepare("UPDATE videos SET tags = ? WHERE id = 'a'").run(many);
    const shown = await preview(bulk("add-tags", ["a", "b"], { tags: "new" }));
    expect(shown).toMatchObject({ changed: 1, refused: ["First"] });
    const { toast } = await expectSuccess({
      ...bulk(shown.action, shown.ids),
      ...Object.fromEntries(shown.fields),
      preview: "1",
      confirmed: "1",
    });
    expect(toast.description).toContain("Added tags to 1 video.");
    expect(video("b")?.tags).toBe('["new"]');
  });

  it("shows the first ten of many videos", async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `v${n}`);
    for (const id of ids) addVideo({ id });
    const shown = await preview(bulk("hide", ids));
    expect(shown).toMatchObject({ changed: 30, ids });
    expect(shown.rows.map(({ id }) => id)).toEqual(ids.slice(0, 10));
  });
});

describe("bulk actions", () => {
  it("hide videos, and report unchanged and deleted ones separately", async () => {
    const { toast, location } = await expectSuccess(
      bulk("hide", ["a", "b", "c", "gone"]),
      "/admin?tab=manage&sort=title",
    );
    expect(location).toBe("/admin?tab=manage&sort=title");
    expect(toast).toEqual({
      title: "Videos Updated",
      description: "Hid 2 videos. 1 video was already hidden. 1 video no longer exists.",
      kind: "success",
    });
    expect(column("status")).toEqual(["hidden", "hidden", "hidden"]);
  });

  it("publish videos", async () => {
    const { toast } = await expectSuccess(bulk("publish", ["a", "b", "c"]));
    expect(toast.description).toBe("Published 2 videos. 1 video was already published.");
    expect(column("status")).toEqual(["published", "published", "published"]);
  });

  it("set the category", async () => {
    const { toast } = await expectSuccess(bulk("category", ["a", "b"], { category: "english" }));
    expect(toast.description).toBe(
      "Set the category of 1 video. 1 video was already in this category.",
    );
    expect(column("category")).toEqual(["english", "english", "desi"]);
  });

  it("add each tag only once, ignoring case", async () => {
    const { toast } = await expectSuccess(bulk("add-tags", ["a", "b", "c"], { tags: "one, Two" }));
    expect(column("tags")).toEqual(['["One","Two"]', '["one","Two"]', '["one","two"]']);
    expect(toast.description).toBe("Added tags to 2 videos. 1 video was already tagged.");
  });

  it("remove tags, and store null if no tags are left", async () => {
    await expectSuccess(bulk("remove-tags", ["a", "b", "c"], { tags: "ONE" }));
    expect(column("tags")).toEqual([null, null, '["two"]']);
  });

  it("leave videos with too many tags unchanged, and list them", async () => {
    const many = JSON.stringify(Array.from({ length: 50 }, (_, n) => `tag ${n}`));
    sqliteHandle().prepare("UPDATE videos SET tags = ? WHERE id = 'a'").run(many);
    const { toast } = await expectSuccess(bulk("add-tags", ["a", "b"], { tags: "new" }));
    expect(toast.description).toBe(
      "Added tags to 1 video. 1 video was not changed because a video can have at most 50 tags: “First”.",
    );
    expect(await expectFailure(bulk("add-tags", ["a"], { tags: "new" }))).toMatchObject({
      status: 422,
      toast: { title: "Error", description: "No videos were changed." },
    });
  });

  it("require confirmation before they delete videos and their files", async () => {
    sqliteHandle().exec(
      "UPDATE videos SET video_url = '/media/videos/u/1.mp4' WHERE id IN ('a', 'b')",
    );
    const file = writeUpload(site.uploads, "videos/u/1.mp4");
    expect(await sendForResult(bulk("delete", ["a", "b", "gone"]))).toEqual({
      status: 200,
      confirmation: { ids: ["a", "b"], titles: ["First", "Second"], bytes: 0 },
    });
    expect(video("a")).toBeDefined();
    const { toast } = await expectSuccess(bulk("delete", ["a", "b", "gone"], { confirmed: "1" }));
    expect(toast).toMatchObject({
      title: "Videos Deleted",
      description: "Deleted 2 videos. 1 video no longer exists.",
    });
    expect([video("a"), video("b"), video("c")?.id]).toEqual([undefined, undefined, "c"]);
    await purge(["a"]);
    await removeFiles();
    expect(fs.existsSync(file)).toBe(true);
    await purge(["b"]);
    await removeFiles();
    expect(fs.existsSync(file)).toBe(false);
  });

  it("restore all videos when a deletion is undone", async () => {
    const { toast } = await expectSuccess(bulk("delete", ["a", "b"], { confirmed: "1" }));
    const [deletion, ...others] = (await page("/admin?tab=manage")).manage!.deletions;
    expect(others).toEqual([]);
    expect(deletion).toMatchObject({ videos: 2, titles: ["First", "Second"] });
    expect(toast.action.fields).toEqual({ intent: "restore", batch: deletion!.batch });
    await expectSuccess(toast.action.fields, toast.action.to);
    expect([video("a")?.title, video("b")?.category]).toEqual(["First", "english"]);
  });

  it("change all videos in the list, on every page", async () => {
    for (let n = 0; n < 120; n += 1) addVideo({ id: `n${n}`, title: `Night ${n}` });
    const all = { intent: "bulk", do: "hide", all: "1" };
    const { toast } = await expectSuccess(all, "/admin?tab=manage&search=night&page=2");
    expect(toast.description).toBe("Hid 120 videos.");
    expect(column("status")).toEqual(["published", "hidden", "review"]);
  });

  it("change either all of the selected videos or none of them", async () => {
    sqliteHandle().exec(`CREATE TRIGGER broken BEFORE UPDATE ON videos WHEN OLD.id = 'c'
      BEGIN SELECT raise(ABORT, 'no'); END`);
    expect(await expectFailure(bulk("hide", ["a", "b", "c"]))).toMatchObject({ status: 500 });
    expect(column("status")).toEqual(["published", "hidden", "review"]);
    vi.mocked(console.error).mockClear();
  });

  it("are recorded in the activity list", async () => {
    await expectSuccess(bulk("publish", ["b", "c"]));
    expect(await listActivities()).toMatchObject([
      { email: "a@b.c", action: "bulk-edit", detail: "published 2 videos: “Second”, “Third”" },
    ]);
  });

  it.each([
    ["nothing selected", bulk("hide", []), "Select at least one video."],
    ["no action", bulk("", ["a"]), "Choose an action."],
    ["an unknown category", bulk("category", ["a"], { category: "all" }), "Choose a category."],
    ["no tag", bulk("add-tags", ["a"], { tags: " , " }), "Enter at least one tag."],
    [
      "too many videos",
      bulk(
        "hide",
        Array.from({ length: MAX_BULK_VIDEOS + 1 }, (_, n) => `x${n}`),
      ),
      "You can change up to 10,000 videos at a time. Use filters to narrow down the list.",
    ],
  ])("are rejected with a message: %s", async (_, fields, detail) => {
    expect(await expectFailure(fields)).toMatchObject({
      status: 422,
      toast: { title: "Error", description: "No videos were changed." },
      detail,
    });
  });

  it("respond with 404 if all videos are deleted", async () => {
    expect(await expectFailure(bulk("hide", ["x", "y"]))).toMatchObject({
      status: 404,
      detail: "2 videos no longer exist.",
    });
  });

  it("don't leave any file in the bucket after a deletion", async () => {
    await expectSuccess(bulk("delete", ["a"], { confirmed: "1" }));
    expect(fs.readdirSync(path.join(site.uploads, "videos"))).toEqual([]);
  });
});

describe("a bulk action that fails halfway", () => {
  const selected = Array.from({ length: 80 }, (_, n) => `n${n}`);
  const left = { videos: 48, because: "Something went wrong. Try again." };
  const countOf = (where: string) =>
    sqliteHandle().prepare(`SELECT count(*) FROM videos WHERE ${where}`).pluck().get();
  const failAt = (event: string) =>
    sqliteHandle().exec(`CREATE TRIGGER broken BEFORE ${event} ON videos WHEN OLD.id = 'n40'
      BEGIN SELECT RAISE(ABORT, 'broken'); END`);
  const logged = () => {
    expect(vi.mocked(console.error).mock.calls.flat().join()).toContain("broken");
    vi.mocked(console.error).mockClear();
  };
  beforeEach(() => {
    for (const id of selected) addVideo({ id, title: id, status: "published" });
  });

  it("keeps and records committed changes, reports how many are left, and continues when it is submitted again", async () => {
    failAt("UPDATE OF status");
    expect(await changeVideos({ action: "hide" }, selected, "u")).toMatchObject({
      done: 32,
      unchanged: 0,
      gone: 0,
      left,
    });
    logged();
    expect(countOf("status = 'hidden' AND id LIKE 'n%'")).toBe(32);
    expect(await listActivities()).toMatchObject([
      { action: "bulk-edit", detail: expect.stringContaining("hid 32 videos: “n0”") },
    ]);
    sqliteHandle().exec("DROP TRIGGER broken");
    expect((await expectSuccess(bulk("hide", selected))).toast.description).toBe(
      "Hid 48 videos. 32 videos were already hidden.",
    );
  });

  it("shows the user which videos were changed and which weren't", async () => {
    failAt("UPDATE OF status");
    expect((await expectSuccess(bulk("hide", selected))).toast.description).toBe(
      `Hid 32 videos. 48 videos were not processed. ${left.because}`,
    );
    logged();
  });

  it("stops when the account loses its permission", async () => {
    sqliteHandle().exec(`CREATE TRIGGER deactivates AFTER UPDATE OF status ON videos WHEN NEW.id = 'n5'
      BEGIN UPDATE users SET deactivated_at = '2026-01-01T00:00:00.000Z'; END`);
    expect(await changeVideos({ action: "hide" }, selected, "u")).toMatchObject({
      done: 32,
      left: { videos: 48, because: NOT_ALLOWED },
    });
    expect(countOf("status = 'hidden' AND id LIKE 'n%'")).toBe(32);
  });

  it("changes nothing if the first transaction fails", async () => {
    sqliteHandle().exec(`CREATE TRIGGER broken BEFORE UPDATE OF status ON videos WHEN OLD.id = 'n31'
      BEGIN SELECT RAISE(ABORT, 'broken'); END`);
    await expect(changeVideos({ action: "hide" }, selected, "u")).rejects.toThrow("broken");
    expect(countOf("status = 'hidden' AND id LIKE 'n%'")).toBe(0);
    expect(await listActivities()).toEqual([]);
  });

  it("reports which videos a failed deletion left in place, and restores the deleted ones", async () => {
    failAt("DELETE");
    const result = (await changeVideos({ action: "delete" }, selected, "u")) as BulkResult;
    expect(result).toMatchObject({ done: 32, gone: 0, left });
    logged();
    expect(countOf("id LIKE 'n%'")).toBe(48);
    await restoreDeletion(result.batch!, "u");
    expect(countOf("id LIKE 'n%'")).toBe(80);
  });
});

describe("bulk actions on thousands of videos", () => {
  const COUNT = 3_000;
  const ids = Array.from({ length: COUNT }, (_, n) => `n${n}`);

  /** Returns the average time for which `work` blocks timers. Other processes may delay any single timer. */
  async function averageDelay(work: () => Promise<unknown>): Promise<number> {
    const begun = performance.now();
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    await work();
    clearInterval(timer);
    return (performance.now() - begun) / (ticks + 1);
  }

  it.each([
    ["hidden", { action: "hide" }],
    ["tagged", { action: "add-tags", tags: ["new"] }],
    ["deleted", { action: "delete" }],
  ] as [string, RowChange][])("let timers run while videos are %s", async (_how, change) => {
    sqliteHandle().transaction(() => {
      for (const id of ids) addVideo({ id, title: `Night ${id}` });
    })();
    await ensureProjected();
    let result: BulkResult | undefined;
    const delay = await averageDelay(async () => {
      result = (await changeVideos(change, ids, "u")) as BulkResult;
    });
    expect(result).toMatchObject({ done: COUNT, gone: 0 });
    // The delay is typically a tenth of this if nothing else is running.
    expect(delay).toBeLessThan(100);
    await ensureProjected();
    expect(
      (await listManaged({ ...DEFAULT_VIEW, status: "published", search: "night" })).total,
    ).toBe(change.action === "add-tags" ? COUNT : 0);
  });
});
