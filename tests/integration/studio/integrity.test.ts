import fs from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_VIEW } from "~/features/library/list/manage-address";
import { listManaged } from "~/features/library/list/managed-list.server";
import {
  correctDerivedData,
  correctStorage,
} from "~/features/operations/library-check/integrity.server";
import { sqliteHandle } from "~db/client.server";
import { addVideo, video, writeUpload } from "../../admin-requests";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const find = async (search: string) =>
  (await listManaged({ ...DEFAULT_VIEW, search })).videos.map(({ id }) => id);

describe("derived data", () => {
  it("isn't changed if it is correct", async () => {
    addVideo({ title: `A "quoted" title` });
    expect(await correctDerivedData()).toBe(false);
  });

  it("is rebuilt if the totals differ from the rows", async () => {
    addVideo({ views: 5 });
    expect((await listManaged(DEFAULT_VIEW)).total).toBe(1);
    sqliteHandle().exec("UPDATE video_totals SET videos = videos + 1, views = views + 3");
    expect((await listManaged(DEFAULT_VIEW)).total).toBe(2);
    expect(await correctDerivedData()).toBe(true);
    expect((await listManaged(DEFAULT_VIEW)).total).toBe(1);
    expect(await correctDerivedData()).toBe(false);
  });

  it("reflects files that were added or removed while the site was down", async () => {
    addVideo({ video_url: "/media/videos/u/1.mp4" });
    const file = writeUpload(site.uploads, "videos/u/1.mp4");
    addVideo({ id: "other", video_url: "/media/videos/u/2.mp4" });
    writeUpload(site.uploads, "videos/u/2.mp4");
    expect(await correctStorage()).toBe(true);
    const bytes = () => sqliteHandle().prepare("SELECT bytes FROM storage").pluck().get();
    expect([bytes(), video()?.bytes]).toEqual([10, 5]);
    fs.rmSync(file);
    await correctStorage();
    expect([bytes(), video()?.bytes]).toEqual([5, 0]);
  });

  it("is rebuilt if the search index doesn't match the rows", async () => {
    addVideo({ title: "Beach", tags: '["sun"]' });
    expect(await find("beach")).toEqual(["v"]);
    sqliteHandle().exec("INSERT INTO video_search (video_search) VALUES ('delete-all')");
    expect(await find("beach")).toEqual([]);
    expect(await correctDerivedData()).toBe(true);
    expect(await find("beach")).toEqual(["v"]);
    expect(await find("sun")).toEqual(["v"]);
    sqliteHandle().exec("UPDATE videos SET title = 'Hill'");
    expect(await find("beach")).toEqual([]);
    expect(await find("hill")).toEqual(["v"]);
  });
});
