import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { blockFilm, isBlockedFile, unblockFilm } from "~/media/block-list/blocked-films.server";
import { hashBlockedFilms } from "~/media/block-list/hash-films.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { sqliteHandle, writeTransaction } from "~db/client.server";
import { useAdminSite } from "../../admin-requests";
import { addToLibrary } from "../../encode-library";
import { makeClip } from "../../media-clips";

const site = useAdminSite();
const SHA = "a".repeat(64);

const film = (seed: number, seconds = 6) =>
  makeClip(site.folder, `film-${seed}`, {
    picture: `color=gray:size=16x12:rate=1:duration=${seconds},noise=alls=100:allf=t:all_seed=${seed},scale=160:120:flags=bicubic,fps=10`,
    audio: false,
  });
const digest = (id: string, sha256 = SHA) =>
  sqliteHandle().prepare("INSERT INTO video_digests VALUES (?, ?)").run(id, sha256);
const blocked = () =>
  sqliteHandle().prepare("SELECT *, length(frames) AS bytes FROM blocked_films").all() as {
    id: number;
    video_id: string;
    reason: string;
    state: string;
    bytes: number;
    step: number;
  }[];
const kept = () => fs.readdirSync(path.join(site.uploads, ".block-list"));

describe.runIf(ffmpegAvailable())("a film that is blocked", () => {
  it("is known by the bytes that came, those that are played, and its frames", async () => {
    const id = await addToLibrary(site.uploads, film(1), true);
    digest(id);
    const before = await writeTransaction(() => blockFilm(id, "consent"));
    expect(before?.known).toBe("frames");
    expect(blocked()).toMatchObject([
      { video_id: id, reason: "consent", state: "waiting", bytes: 0 },
    ]);
    await hashBlockedFilms();
    expect(blocked()).toMatchObject([{ state: "ready", step: 0.5, bytes: 12 * 24 }]);
    expect(isBlockedFile(SHA)).toBe(true);
    const digests = sqliteHandle().prepare("SELECT sha256 FROM blocked_files").all();
    expect(digests).toHaveLength(2);
    expect(kept()).toEqual([]);
  }, 60_000);

  it("is compared although the video is gone for good before its frames were taken", async () => {
    const id = await addToLibrary(site.uploads, film(2), true);
    await writeTransaction(() => blockFilm(id, "under-age"));
    sqliteHandle().exec("DELETE FROM videos");
    fs.rmSync(path.join(site.uploads, "videos"), { recursive: true });
    await hashBlockedFilms();
    expect(blocked()).toMatchObject([{ state: "ready", bytes: 12 * 24 }]);
  }, 60_000);

  it("is on the list by its bytes alone when its file is no film, and says so", async () => {
    const file = path.join(site.folder, "broken.mp4");
    fs.writeFileSync(file, "no film");
    const id = await addToLibrary(site.uploads, file, true);
    digest(id);
    await writeTransaction(() => blockFilm(id, "other"));
    await hashBlockedFilms();
    expect(blocked()).toMatchObject([{ state: "none", bytes: 0 }]);
    expect(isBlockedFile(SHA)).toBe(true);
  }, 60_000);
});

describe("the block list", () => {
  it("has nothing of a decision that was not made, and of a video that there is not", async () => {
    sqliteHandle().exec("INSERT INTO videos (id, title, category) VALUES ('v', 'V', 'desi')");
    digest("v");
    const decided = writeTransaction(() => {
      expect(blockFilm("nobody", "other")).toBeUndefined();
      expect(blockFilm("v", "other")?.known).toBe("bytes");
      throw new Error("somebody else was first");
    });
    await expect(decided).rejects.toThrow("first");
    expect(blocked()).toEqual([]);
  });

  it("keeps a video once, and lets it go", async () => {
    sqliteHandle().exec("INSERT INTO videos (id, title, category) VALUES ('v', 'V', 'desi')");
    digest("v");
    await writeTransaction(() => blockFilm("v", "other"));
    await writeTransaction(() => blockFilm("v", "copyright"));
    expect(blocked()).toMatchObject([{ reason: "copyright" }]);
    expect(isBlockedFile(SHA)).toBe(true);
    expect(await writeTransaction(() => unblockFilm("v"))).toBe(true);
    expect(await writeTransaction(() => unblockFilm("v"))).toBe(false);
    expect(isBlockedFile(SHA)).toBe(false);
  });

  it("takes over what was known of the film where its file is gone", async () => {
    sqliteHandle().exec("INSERT INTO videos (id, title, category) VALUES ('v', 'V', 'desi')");
    sqliteHandle()
      .prepare("INSERT INTO video_frames VALUES ('v', 0.5, 1, ?)")
      .run(Buffer.alloc(32, 7));
    expect(await writeTransaction(() => blockFilm("v", "other"))).toMatchObject({ known: "few" });
    expect(blocked()).toMatchObject([{ state: "few", step: 1, bytes: 2 * 24 }]);
  });
});
