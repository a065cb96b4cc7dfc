import { describe, expect, it } from "vitest";
import { activateReplacement } from "~/features/library/files/activate-replacement.server";
import { loader } from "~/features/library/routes/admin";
import { openSession } from "~/features/permissions/session.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { purge } from "~/features/trash/trash.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { listActivities } from "~/platform/activity/activity.server";
import { activityMessage } from "~/platform/activity/activity-labels";
import { sqliteHandle } from "~db/client.server";
import { addVideo, expectFailure, expectSuccess, useAdminSite } from "../../admin-requests";
import { jobRows } from "../../encode-library";
import { type ShownList, SIMILAR_LIST, shownList } from "../../similar-list";

useAdminSite();
const pair = (first: string, second: string, dismissed: string | null = null) =>
  sqliteHandle()
    .prepare("INSERT INTO similar_videos VALUES (?, ?, ?)")
    .run(...[first, second].sort(), dismissed);
const notSame = (id: string, other: string) => ({ intent: "not-same", id, other });

describe("similar videos", () => {
  const addFour = () => {
    for (const id of ["a", "b", "c", "d"]) addVideo({ id, title: `Video ${id}`, status: "hidden" });
    pair("c", "b");
    pair("a", "d");
  };

  it("are adjacent in the list, which shows the videos that each one resembles", async () => {
    addFour();
    const { list, similar } = await shownList();
    expect(list.videos.map(({ id }) => id)).toEqual(["a", "d", "b", "c"]);
    expect(similar).toMatchObject({ a: [{ title: "Video d" }], c: [{ title: "Video b" }] });
    expect((await shownList(`${SIMILAR_LIST}&search=video+c`)).list.videos).toMatchObject([
      { id: "c" },
    ]);
    expect((await shownList(`${SIMILAR_LIST}&sort=title`)).list.videos[1]).toMatchObject({
      id: "b",
    });
    expect((await shownList("/admin?tab=manage&status=hidden")).similar.b).toHaveLength(1);
  });

  it("are no longer listed after someone has marked them as different", async () => {
    addFour();
    const { toast } = await expectSuccess(notSame("b", "c"), SIMILAR_LIST);
    expect(toast.description).toBe("Marked as not a duplicate of “Video c”.");
    const { list, similar } = await shownList();
    expect([list.total, similar.b, similar.c]).toEqual([2, undefined, undefined]);
    const [said] = await listActivities();
    const { before, subject, after } = activityMessage(said!.action, said!.detail);
    expect(before + subject + after).toBe("marked “Video b” and “Video c” as different videos");
    expect(await expectFailure(notSame("b", "c"), SIMILAR_LIST)).toMatchObject({ status: 404 });
    expect(await expectFailure(notSame("b", "a"), SIMILAR_LIST)).toMatchObject({ status: 404 });
    expect(await expectFailure({ intent: "not-same", id: "b" }, SIMILAR_LIST)).toMatchObject({
      status: 400,
    });
  });

  it("stay dismissed after one of them is restored from the trash, and are forgotten after one is purged", async () => {
    const pairs = () => sqliteHandle().prepare("SELECT first, second FROM similar_videos").all();
    addFour();
    sqliteHandle().exec("DELETE FROM similar_videos");
    pair("b", "c", "2030-01-01T00:00:00.000Z");
    pair("a", "b");
    await removeVideos(["b"], "u");
    expect(pairs()).toEqual([{ first: "b", second: "c" }]);
    await restoreVideos(["b"], "u");
    expect((await shownList()).similar.b).toBeUndefined();
    expect(pairs()).toEqual([{ first: "b", second: "c" }]);
    await removeVideos(["c"], "u");
    await purge(["c"]);
    expect(pairs()).toEqual([]);
    // Another tool deletes a video without moving it to the trash.
    pair("a", "b", "2030-01-01T00:00:00.000Z");
    sqliteHandle().exec("DELETE FROM videos WHERE id = 'a'");
    expect(pairs()).toEqual([]);
  });

  it("don't reveal other users' unpublished videos to an uploader", async () => {
    sqliteHandle().exec(
      "INSERT INTO users (id, email, password_hash, role) VALUES ('up', 'up@b.c', 'x', 'uploader')",
    );
    for (const id of ["mine", "mine-too"])
      addVideo({ id, title: id, uploaded_by: "up", status: "review" });
    addVideo({ id: "secret", title: "Secret", status: "hidden" });
    addVideo({ id: "public", title: "Public", status: "published" });
    pair("mine", "secret");
    pair("mine-too", "public");
    const cookie = (await openSession("up")).split(";")[0]!;
    const request = new Request(`http://localhost${SIMILAR_LIST}`, { headers: { Cookie: cookie } });
    const response = await loader({ request, params: {}, context: {} });
    const { manage } = (response as { data: ShownList }).data;
    expect(manage.list.videos.map(({ id }) => id)).toEqual(["mine-too"]);
    expect(manage.similar).toEqual({
      "mine-too": [{ id: "public", title: "Public", isPublic: 1 }],
    });
    expect(JSON.stringify(response)).not.toMatch(/secret/i);
  });

  it("are forgotten when one of the videos is deleted or its file is replaced", async () => {
    addFour();
    sqliteHandle().exec("DELETE FROM videos WHERE id = 'c'");
    expect((await shownList()).similar.b).toBeUndefined();
    sqliteHandle().exec(
      "INSERT INTO video_files (id, video_id, state, video_url, storyboard_url) VALUES ('n', 'a', 'earlier', '/media/videos/u/9.mp4', '/s.vtt')",
    );
    sqliteHandle().exec("INSERT INTO video_fingerprints VALUES ('a', 20, x'00')");
    await activateReplacement("n", "u");
    expect((await shownList()).list.total).toBe(0);
    expect(sqliteHandle().prepare("SELECT count(*) FROM video_fingerprints").pluck().get()).toBe(0);
    if (ffmpegAvailable()) {
      expect(jobRows("a").find(({ kind }) => kind === "fingerprint")?.state).toBe("waiting");
    }
  });
});
