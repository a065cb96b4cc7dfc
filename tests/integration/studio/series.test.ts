import { describe, expect, it } from "vitest";
import {
  addToSeries,
  deleteSeries,
  removeFromSeries,
} from "~/features/library/series/change-series.server";
import { MAX_SERIES_VIDEOS } from "~/features/library/series/series-address";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { purge } from "~/features/trash/trash.server";
import { listActivities } from "~/platform/activity/activity.server";
import { activityMessage } from "~/platform/activity/activity-labels";
import { catalogueVersion } from "~db/changes.server";
import { sqliteHandle } from "~db/client.server";
import {
  addVideo,
  catchResponse,
  expectFailure,
  expectSuccess,
  page,
  useAdminSite,
  video,
} from "../../admin-requests";
import {
  addSeries,
  expectSeriesFailure,
  expectSeriesSuccess,
  orderOfSeries,
  sendSeries,
  seriesPage,
} from "../../series-requests";

useAdminSite();

const messages = async () =>
  (await listActivities()).map(({ action, detail }) => {
    const { before, subject, after } = activityMessage(action, detail);
    return before + subject + after;
  });
const series = (id: number) =>
  sqliteHandle().prepare("SELECT * FROM series WHERE id = ?").get(id) as Record<string, unknown>;
const four = () => {
  for (const id of ["a", "b", "c", "d"]) addVideo({ id, title: `Video ${id}` });
  return addSeries({}, ["a", "b", "c", "d"]);
};
const move = (id: number, fields: Record<string, string>) => {
  const version = String(series(id).version);
  return catchResponse(() =>
    sendSeries({ intent: "move", version, ...fields }, `/admin/series/${id}`),
  );
};

describe("the series pages", () => {
  it("create a private series from a title, and give it a URL", async () => {
    expect((await seriesPage()).all).toMatchObject({ total: 0, series: [] });
    const before = catalogueVersion().catalogue;
    const { location } = await expectSeriesSuccess({
      intent: "create",
      title: " Nights in Paris: été ",
    });
    expect(location).toBe("/admin/series/1");
    expect(series(1)).toMatchObject({
      title: "Nights in Paris: été",
      slug: "nights-in-paris-ete",
      visibility: "studio",
    });
    expect(catalogueVersion().catalogue).toBeGreaterThan(before);
    await expectSeriesSuccess({ intent: "create", title: "Nights in Paris ete" });
    expect(series(2).slug).toBe("nights-in-paris-ete-2");
    expect((await seriesPage()).all.series).toMatchObject([
      { id: 2, videos: 0, published: 0, visibility: "studio", isFeatured: false },
      { id: 1 },
    ]);
    expect(await messages()).toEqual([
      "created the series Nights in Paris ete",
      "created the series Nights in Paris: été",
    ]);
  });

  it("reject an empty, overlong or existing title, and keep the input", async () => {
    addSeries({ title: "Nights" });
    expect(await expectSeriesFailure({ intent: "create", title: "  " })).toMatchObject({
      status: 422,
      fields: { title: "Enter a title." },
    });
    const long = "x".repeat(201);
    expect((await expectSeriesFailure({ intent: "create", title: long })).typed?.title).toBe(long);
    expect(await expectSeriesFailure({ intent: "create", title: "nights" })).toMatchObject({
      status: 422,
      fields: { title: "There is already a series called “nights”." },
    });
  });

  it("list series by title, search them, and count public videos", async () => {
    for (const n of Array.from({ length: 30 }, (_, i) => i)) {
      addSeries({ title: `Part ${String(n).padStart(2, "0")}`, slug: `part-${n}` });
    }
    addVideo({ id: "a" });
    addVideo({ id: "b", status: "hidden" });
    addSeries({ title: "100 %", slug: "hundred" }, ["a", "b"]);
    const second = (await seriesPage("/admin/series?page=9")).all;
    expect(second).toMatchObject({ page: 2, pageCount: 2, total: 31 });
    expect(second.series).toHaveLength(11);
    const found = (await seriesPage("/admin/series?search=%25")).all;
    expect(found).toMatchObject({
      found: 1,
      series: [{ title: "100 %", videos: 2, published: 1 }],
    });
  });

  it("require a session, and return 404 if a series doesn't exist", async () => {
    const response = await catchResponse(() => seriesPage("/admin/series", { Cookie: "" }));
    expect(response.headers.get("Location")).toBe("/auth");
    for (const id of ["7", "x", "0"]) {
      expect(await seriesPage(`/admin/series/${id}`)).toMatchObject({ status: 404 });
    }
    const fields = { intent: "update", title: "A", version: "x" };
    expect((await expectSeriesFailure(fields, "/admin/series/7")).status).toBe(404);
    expect((await expectSeriesFailure({ intent: "delete" }, "/admin/series/7")).status).toBe(404);
    expect((await expectSeriesFailure({ intent: "delete" })).status).toBe(400);
  });
});

describe("a series' details", () => {
  const open = async (id: number) => (await seriesPage(`/admin/series/${id}`)).one.series;
  const texts = { title: "Days", slug: "", description: "All of them", visibility: "public" };
  const save = async (id: number, fields: Record<string, string>) =>
    expectSeriesSuccess(
      { intent: "update", version: (await open(id)).textsVersion, ...texts, ...fields },
      `/admin/series/${id}`,
    );

  it("are saved, and an old URL still leads to the series", async () => {
    const id = addSeries({ visibility: "studio" });
    const { location } = await save(id, { slug: "Day & Night" });
    expect(location).toBe(`/admin/series/${id}`);
    expect(await open(id)).toMatchObject({ ...texts, slug: "day-night", isFeatured: false });
    const other = addSeries({ title: "Other", slug: "other" });
    const version = (await open(other)).textsVersion;
    const takenTitle = { intent: "update", version, ...texts, title: "Other", slug: "nights" };
    expect(await expectSeriesFailure(takenTitle, `/admin/series/${other}`)).toMatchObject({
      status: 422,
      fields: { slug: "Another series uses or has used this URL." },
      typed: { slug: "nights" },
    });
    await save(id, { slug: "nights" });
    expect((await open(id)).slug).toBe("nights");
    expect(await messages()).toContain("changed the series Days");
  });

  it("can't be saved if they have changed in the meantime, but can be saved if only the order has changed", async () => {
    const id = four();
    const { textsVersion } = await open(id);
    await move(id, { video: "a", move: "down" });
    expect((await open(id)).textsVersion).toBe(textsVersion);
    await save(id, {});
    const sent = { intent: "update", version: textsVersion, ...texts, title: "Mine" };
    const { status, typed, version } = await expectSeriesFailure(sent, `/admin/series/${id}`);
    expect([status, typed?.title]).toEqual([409, "Mine"]);
    expect(series(id).title).toBe("Days");
    await expectSeriesSuccess({ ...sent, version: version ?? "" }, `/admin/series/${id}`);
    expect(series(id).title).toBe("Mine");
  });

  it("can feature one series at a time on the home page", async () => {
    const [one, other] = [addSeries(), addSeries({ title: "Other", slug: "other" })];
    await save(one, { title: "One", slug: "one", featured: "1" });
    await save(other, { title: "Two", slug: "two", featured: "1" });
    expect([(await open(one)).isFeatured, (await open(other)).isFeatured]).toEqual([false, true]);
    await save(other, { title: "Two", slug: "two" });
    expect(sqliteHandle().prepare("SELECT * FROM featured_series").all()).toEqual([]);
  });
});

describe("the order of videos in a series", () => {
  it("can be changed with buttons or by number, which is clamped to both ends", async () => {
    const id = four();
    const response = await move(id, { video: "c", move: "up" });
    expect([response.status, response.headers.get("Location")]).toEqual([
      302,
      `/admin/series/${id}`,
    ]);
    expect(orderOfSeries(id)).toEqual(["a", "c", "b", "d"]);
    await move(id, { video: "a", move: "down" });
    expect(orderOfSeries(id)).toEqual(["c", "a", "b", "d"]);
    await move(id, { video: "d", to: "1" });
    expect(orderOfSeries(id)).toEqual(["d", "c", "a", "b"]);
    await move(id, { video: "c", to: "99" });
    expect(orderOfSeries(id)).toEqual(["d", "a", "b", "c"]);
    await move(id, { video: "d", move: "up" });
    expect(orderOfSeries(id)).toEqual(["d", "a", "b", "c"]);
    expect((await messages())[0]).toBe("reordered the series Nights");
    const incomplete = await expectSeriesFailure(
      { intent: "move", video: "d" },
      `/admin/series/${id}`,
    );
    expect(incomplete.status).toBe(400);
  });

  it("can be changed without JavaScript by buttons that send only their direction", async () => {
    const id = four();
    const fields = { move: "up", video: "b", to: "2", version: "1" };
    await catchResponse(() => sendSeries(fields, `/admin/series/${id}`));
    expect(orderOfSeries(id)).toEqual(["b", "a", "c", "d"]);
  });

  it("can't be changed from an outdated page", async () => {
    const id = four();
    await move(id, { video: "a", move: "down" });
    const stale = { intent: "move", video: "a", move: "down", version: "1" };
    expect(await expectSeriesFailure(stale, `/admin/series/${id}`)).toMatchObject({ status: 409 });
    expect(orderOfSeries(id)).toEqual(["b", "a", "c", "d"]);
  });

  it("returns the new version to a background request", async () => {
    const id = four();
    const fields = { intent: "move", video: "a", to: "4", version: "1", background: "1" };
    const change = (changed: Record<string, string>) => sendSeries(changed, `/admin/series/${id}`);
    expect(await change(fields)).toEqual({ version: 2 });
    const out = { intent: "remove", video: "b", background: "1" };
    expect(await change(out)).toEqual({ version: 3 });
    expect(await change(out)).toEqual({ version: undefined });
    expect((await messages())[0]).toBe("removed 1 video from the series “Nights”");
    const last = { ...fields, video: "c", to: "3", version: "3" };
    expect(await change(last)).toEqual({ version: 4 });
    expect(await change({ ...last, to: "1" })).toMatchObject({ data: { error: { status: 409 } } });
    await change({ ...last, to: "1", version: "4" });
    expect(orderOfSeries(id)).toEqual(["c", "d", "a"]);
  });

  it("is shown in pages of fifty videos with continuous numbering", async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `v${n}`);
    for (const id of ids) addVideo({ id });
    const id = addSeries({}, ids);
    const { list } = (await seriesPage(`/admin/series/${id}?page=2`)).one;
    expect(list).toMatchObject({ firstNumber: 51, page: 2, pageCount: 2, total: 60 });
    expect(list.videos[0]?.id).toBe("v50");
  });
});

describe("the videos in a series", () => {
  it("are added at the end, each only once and only if they exist", async () => {
    const id = four();
    addVideo({ id: "e" });
    expect(await addToSeries(id, ["e", "a", "nobody", "e"], "u")).toMatchObject({ changed: ["e"] });
    expect(orderOfSeries(id)).toEqual(["a", "b", "c", "d", "e"]);
    expect((await messages())[0]).toBe("added 1 video to the series “Nights”");
    expect(await removeFromSeries(id, ["e", "x"], "u")).toMatchObject({ changed: ["e"] });
  });

  it("are limited in number", async () => {
    const id = addSeries();
    const ids = Array.from({ length: MAX_SERIES_VIDEOS + 1 }, (_, n) => `v${n}`);
    for (const each of ids) addVideo({ id: each });
    expect(await addToSeries(id, ids, "u")).toMatchObject({ status: 422 });
    expect(orderOfSeries(id)).toEqual([]);
    expect(await addToSeries(id, ids.slice(1), "u")).not.toHaveProperty("status");
    expect(orderOfSeries(id)).toEqual(ids.slice(1));
  });

  it("keep their position in the trash, and lose it when they are purged", async () => {
    const id = four();
    await removeVideos(["b", "c"], "u");
    const { list } = (await seriesPage(`/admin/series/${id}`)).one;
    expect(list.videos.map(({ id, status }) => [id, status])).toEqual([
      ["a", "published"],
      ["b", "deleted"],
      ["c", "deleted"],
      ["d", "published"],
    ]);
    expect(list.videos[1]?.title).toBe("Video b");
    await move(id, { video: "d", to: "1" });
    await restoreVideos(["b"], "u");
    expect(orderOfSeries(id)).toEqual(["d", "a", "b", "c"]);
    await purge(["c"]);
    expect(orderOfSeries(id)).toEqual(["d", "a", "b"]);
  });

  it("are no longer counted once another tool deletes them, and disappear with the next order change", async () => {
    const id = four();
    sqliteHandle().exec("DELETE FROM videos WHERE id = 'b'");
    expect((await seriesPage(`/admin/series/${id}`)).one.list.total).toBe(3);
    await move(id, { video: "c", move: "up" });
    expect(orderOfSeries(id)).toEqual(["c", "a", "d"]);
  });
});

describe("a deleted series", () => {
  it("can be restored from the toast and from the list, with its videos", async () => {
    const id = four();
    sqliteHandle().prepare("INSERT INTO featured_series VALUES (1, ?)").run(id);
    expect((await seriesPage(`/admin/series/${id}?delete=1`)).isDeleting).toBe(true);
    const { location, toast } = await expectSeriesSuccess(
      { intent: "delete" },
      `/admin/series/${id}`,
    );
    expect(location).toBe("/admin/series");
    expect(toast.action.fields).toEqual({ intent: "restore", series: String(id) });
    expect((await seriesPage(`/admin/series/${id}`)).status).toBe(404);
    expect((await seriesPage()).all).toMatchObject({
      total: 0,
      deleted: [{ id, title: "Nights" }],
    });
    const back = await expectSeriesSuccess(toast.action.fields);
    expect(back.location).toBe(`/admin/series/${id}`);
    expect(orderOfSeries(id)).toEqual(["a", "b", "c", "d"]);
    expect((await expectSeriesFailure({ intent: "restore", series: String(id) })).status).toBe(404);
    expect((await messages()).slice(0, 2)).toEqual([
      "restored the series Nights",
      "deleted the series Nights",
    ]);
  });

  it("stays in the trash while another series has its title", async () => {
    const id = four();
    await deleteSeries(id, "u");
    addSeries({ title: "nights", slug: "others" });
    expect((await expectSeriesFailure({ intent: "restore", series: String(id) })).status).toBe(409);
    const made = await expectSeriesSuccess({ intent: "create", title: "Nights!" });
    // The slug stays reserved while the series can be restored.
    expect(series(Number(made.location?.split("/").at(-1))).slug).toBe("nights-2");
  });

  it("is purged after thirty days", async () => {
    const [old, other] = [four(), addSeries({ title: "Other", slug: "other" })];
    await deleteSeries(old, "u", Date.now() - 31 * 24 * 60 * 60 * 1000);
    expect((await seriesPage()).all.deleted).toEqual([]);
    await deleteSeries(other, "u");
    expect(series(old)).toBeUndefined();
    expect(orderOfSeries(old)).toEqual([]);
    expect((await seriesPage()).all.deleted).toHaveLength(1);
  });
});

describe("the list of videos", () => {
  const dialog = async (id: string) => (await page(`/admin?tab=manage&edit=${id}`)).manage?.series;

  it("adds many videos to a series in the order of the list, and removes them", async () => {
    const id = four();
    for (const each of ["e", "f"]) addVideo({ id: each });
    const bulk = (what: string, selected: string[], name = "nights") =>
      expectSuccess({ intent: "bulk", do: what, series: name, selected });
    const { toast } = await bulk("add-series", ["f", "e", "a", "gone"]);
    expect(toast.description).toBe(
      "Added 2 videos to the series. 1 video was already in the series. 1 video no longer exists.",
    );
    expect(orderOfSeries(id)).toEqual(["a", "b", "c", "d", "f", "e"]);
    await bulk("remove-series", ["a", "f"], " NIGHTS ");
    expect(orderOfSeries(id)).toEqual(["b", "c", "d", "e"]);
    const fields = { intent: "bulk", do: "add-series", selected: "a" };
    expect((await expectFailure({ ...fields, series: "Days" })).detail).toBe(
      "There is no series called “Days”. Create it on the Series page first.",
    );
    expect((await expectFailure({ ...fields, series: " " })).status).toBe(422);
  });

  it("adds a video to a series and removes it from others in the edit dialog", async () => {
    const [nights, days] = [four(), addSeries({ title: "Days", slug: "days" }, ["a"])];
    expect(await dialog("a")).toEqual({
      suggested: expect.arrayContaining(["Days", "Nights"]),
      current: [
        { id: days, title: "Days" },
        { id: nights, title: "Nights" },
      ],
    });
    addVideo({ id: "e" });
    await expectSuccess({ intent: "update", id: "e", title: "E", addToSeries: "days" });
    expect(orderOfSeries(days)).toEqual(["a", "e"]);
    await expectSuccess({ intent: "update", id: "e", [`leaveSeries.${days}`]: "1" });
    expect(orderOfSeries(days)).toEqual(["a"]);
    const response = await expectFailure({
      intent: "update",
      id: "e",
      title: "X",
      addToSeries: "Weeks",
    });
    expect(response).toMatchObject({
      status: 422,
      edit: { texts: { title: "X" }, fields: { series: expect.stringContaining("“Weeks”") } },
    });
    expect(video("e")?.title).toBe("E");
  });

  it("doesn't let uploaders change series", async () => {
    const id = four();
    sqliteHandle().exec("UPDATE users SET role = 'uploader', may_publish = 1");
    sqliteHandle().exec("UPDATE videos SET uploaded_by = 'u'");
    addVideo({ id: "e", uploaded_by: "u" });
    const fields = { intent: "bulk", do: "add-series", series: "nights", selected: "e" };
    expect((await expectFailure(fields)).status).toBe(403);
    await expectSuccess({ intent: "update", id: "e", title: "E", addToSeries: "nights" });
    expect(orderOfSeries(id)).toEqual(["a", "b", "c", "d"]);
    expect(await dialog("e")).toEqual({ suggested: [], current: [] });
    expect((await catchResponse(() => seriesPage())).status).toBe(403);
  });
});
