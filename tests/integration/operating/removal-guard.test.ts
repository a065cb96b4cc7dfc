import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readAlertsPage } from "~/features/operations/alerts/alert-records.server";
import { checkAlerts } from "~/features/operations/alerts/check-alerts.server";
import {
  backupOptions,
  storedBackups,
  withRetention,
} from "~/features/operations/backups/backup-folder.server";
import { createBackup } from "~/features/operations/backups/create-backup.server";
import { correctStorage } from "~/features/operations/library-check/integrity.server";
import { resumeRemovals } from "~/features/operations/library-check/paused-removals.server";
import { action } from "~/features/operations/routes/alerts";
import { removeVideos } from "~/features/trash/remove.server";
import { emptyTrash, TRASH_MS } from "~/features/trash/trash.server";
import { announceFiles, removeFiles } from "~/media/files/removals.server";
import { recordFile } from "~/media/media-files.server";
import {
  acceptUploadsFolder,
  identifySite,
  removalsPausedBy,
  tick,
} from "~/media/removal-guard.server";
import { forgetSettings } from "~/platform/settings.server";
import { closeDatabase, sqliteHandle } from "~db/client.server";
import { stopRuntime } from "~db/runtime.server";
import {
  addVideo,
  adminCookie,
  expectSuccessOf,
  signInAdmin,
  useAdminSite,
  writeUpload,
} from "../../admin-requests";

const site = useAdminSite();

async function addWithFile(id: string): Promise<string> {
  addVideo({ id, video_url: `/media/videos/u/${id}.mp4` });
  const file = writeUpload(site.uploads, `videos/u/${id}.mp4`);
  await recordFile({ bucket: "videos", path: `u/${id}.mp4`, videoId: id, kind: "video" });
  return file;
}

/** Points DATABASE_PATH at a file that doesn't exist yet. */
function useNewDatabase(): void {
  closeDatabase();
  process.env.DATABASE_PATH = path.join(site.folder, "db", "wrong.sqlite");
  forgetSettings();
}

const marker = () => JSON.parse(fs.readFileSync(path.join(site.uploads, "site.json"), "utf8"));
const inTrash = () => sqliteHandle().prepare("SELECT count(*) FROM deleted_videos").pluck().get();

function resume() {
  const request = new Request("http://localhost/admin/alerts", {
    method: "POST",
    body: new URLSearchParams({ intent: "resume-removals" }),
    headers: { Cookie: adminCookie(), Origin: "http://localhost", Host: "localhost" },
  });
  return action({ request, params: {}, context: {} });
}

describe("a database and an uploads folder that belong together", () => {
  it("allow removals at every start", async () => {
    await addWithFile("a");
    expect(await identifySite()).toBeUndefined();
    const first = marker();
    expect(first.id).toMatch(/^[\da-f-]{36}$/);
    await tick();
    expect(marker()).toMatchObject({ id: first.id, clock: 1 });
    expect(await identifySite()).toBeUndefined();
  });

  it("allow removals after a power failure, even if the database lost its last minute of changes", async () => {
    await identifySite();
    const restore = site.copyDatabase();
    await tick();
    restore();
    expect(await identifySite()).toBeUndefined();
  });

  it("allow removals on a new site", async () => {
    expect(await identifySite()).toBeUndefined();
    await addWithFile("a");
    expect(await identifySite()).toBeUndefined();
  });

  it("get a new marker if the old one is damaged", async () => {
    await identifySite();
    const { id } = marker();
    fs.writeFileSync(path.join(site.uploads, "site.json"), "");
    expect(await identifySite()).toBeUndefined();
    expect(marker().id).toBe(id);
  });
});

describe("a new database for an uploads folder with files", () => {
  it("pauses removals, and keeps them paused after a restart", async () => {
    const file = await addWithFile("a");
    useNewDatabase();
    expect(await identifySite()).toBe("other-database");
    await correctStorage();
    expect(await identifySite()).toBe("other-database");
    expect(fs.existsSync(file)).toBe(true);
  });

  it("leaves the right database's marker unchanged, so that removals resume once that database is back", async () => {
    await addWithFile("a");
    const { DATABASE_PATH } = process.env;
    await identifySite();
    const before = marker();
    useNewDatabase();
    await identifySite();
    await tick();
    closeDatabase();
    process.env.DATABASE_PATH = DATABASE_PATH;
    forgetSettings();
    expect(marker()).toEqual(before);
    expect(await identifySite()).toBeUndefined();
  });

  it("doesn't remove any of the right database's backups", async () => {
    await addWithFile("a");
    const folder = path.join(site.folder, "backups");
    fs.mkdirSync(folder);
    Object.assign(process.env, { BACKUP_DIR: folder, BACKUP_KEEP: "1" });
    forgetSettings();
    await identifySite();
    const make = async () => createBackup(await withRetention(backupOptions()!));
    const right = await make();
    useNewDatabase();
    await identifySite();
    const wrong = await make();
    expect(storedBackups(folder).sort()).toEqual([right.name, wrong.name].sort());
    await acceptUploadsFolder();
    const accepted = await make();
    expect(storedBackups(folder)).toEqual([accepted.name]);
  });

  it("doesn't mistake files for the remains of an interrupted upload", async () => {
    const file = writeUpload(site.uploads, "videos/u/1700000000000.mp4");
    useNewDatabase();
    await identifySite();
    await announceFiles([{ bucket: "videos", path: "u/1700000000000.mp4" }]);
    await removeFiles(Date.now() + 2 * 86_400_000);
    expect(fs.existsSync(file)).toBe(true);
  });
});

describe("a wrong system clock", () => {
  afterEach(() => vi.useRealTimers());

  it.each([
    ["forward", 40],
    ["back", -40],
  ])("pauses removals when it jumps %s, until an owner resumes them", async (_, days) => {
    await identifySite();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * 86_400_000 });
    expect(await removalsPausedBy()).toBe("clock-jumped");
    await resumeRemovals();
    expect(await removalsPausedBy()).toBeUndefined();
  });

  it("doesn't cause the removal of files that are due only according to the new time", async () => {
    await identifySite();
    const file = writeUpload(site.uploads, "videos/u/1700000000000.mp4");
    await announceFiles([{ bucket: "videos", path: "u/1700000000000.mp4" }]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 40 * 86_400_000 });
    await removeFiles();
    expect(fs.existsSync(file)).toBe(true);
  });

  it.each([
    [6, undefined],
    [8, "clock-jumped"],
  ])(
    "pauses removals at startup only if the site was stopped for more than a week (%i days)",
    async (days, reason) => {
      await identifySite();
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * 86_400_000 });
      // Resets the state of the process, as a restart does.
      await stopRuntime();
      await identifySite();
      await tick();
      expect(await removalsPausedBy()).toBe(reason);
      await resumeRemovals();
      expect(await removalsPausedBy()).toBeUndefined();
      await tick();
      expect(await removalsPausedBy()).toBeUndefined();
    },
  );

  it("is reported only after an older database has been accepted", async () => {
    await addWithFile("a");
    await identifySite();
    const restore = site.copyDatabase();
    for (let minute = 0; minute < 5; minute++) await tick();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * 86_400_000 });
    await stopRuntime();
    restore();
    expect(await identifySite()).toBe("older-database");
    await resumeRemovals();
    expect(await removalsPausedBy()).toBe("clock-jumped");
    await resumeRemovals();
    expect(await removalsPausedBy()).toBeUndefined();
  });

  it("can be corrected by less than a day without pausing removals", async () => {
    await identifySite();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    expect(await removalsPausedBy()).toBeUndefined();
  });
});

describe("a database that is older than the uploads folder", () => {
  async function startWithOlderDatabase() {
    await addWithFile("old");
    await removeVideos(["old"], "u");
    await identifySite();
    const restore = site.copyDatabase();
    for (let minute = 0; minute < 5; minute++) await tick();
    restore();
    return identifySite();
  }

  it("keeps videos in the trash even if their 30 days have passed in the meantime", async () => {
    expect(await startWithOlderDatabase()).toBe("older-database");
    await emptyTrash(Date.now() + 2 * TRASH_MS);
    expect(inTrash()).toBe(1);
  });

  it("keeps removals paused across restarts until someone accepts it", async () => {
    await startWithOlderDatabase();
    await tick();
    expect(await identifySite()).toBe("older-database");
    await acceptUploadsFolder();
    expect(await identifySite()).toBeUndefined();
    await emptyTrash(Date.now() + 2 * TRASH_MS);
    expect(inTrash()).toBe(0);
  });

  it("raises an alert with a button that resumes removals", async () => {
    await startWithOlderDatabase();
    await checkAlerts();
    const alerts = async () =>
      (await readAlertsPage()).last.filter(({ kind }) => kind === "removals");
    expect(await alerts()).toMatchObject([{ resolvedAt: null }]);
    expect((await alerts())[0]?.message).toContain("older than the files");
    await expectSuccessOf(resume);
    expect(await removalsPausedBy()).toBeUndefined();
    expect((await alerts())[0]?.resolvedAt).not.toBeNull();
    expect(await resume()).toMatchObject({ init: { status: 409 } });
  });
});

describe("an uploads folder without the recorded files", () => {
  it.each([
    [1, 1],
    [3, 2],
    [300, 60],
  ])("pauses removals if, out of %i videos, %i lost their file", async (videos, lost) => {
    const files: string[] = [];
    for (let n = 0; n < videos; n++) files.push(await addWithFile(`v${n}`));
    await identifySite();
    const every = Math.floor(videos / lost);
    for (let n = 0; n < lost; n++) fs.rmSync(files[n * every]!);
    expect(await removalsPausedBy()).toBe("missing-files");
  });

  it.each([
    [3, 1],
    [300, 3],
  ])("doesn't pause removals if, out of %i videos, %i lost their file", async (videos, lost) => {
    const files: string[] = [];
    for (let n = 0; n < videos; n++) files.push(await addWithFile(`v${n}`));
    for (const file of files.slice(0, lost)) fs.rmSync(file);
    expect(await removalsPausedBy()).toBeUndefined();
  });

  it("pauses removals when only the thumbnails are missing", async () => {
    for (let n = 0; n < 4; n++) {
      await addWithFile(`v${n}`);
      await recordFile({
        bucket: "thumbnails",
        path: `u/v${n}.webp`,
        videoId: `v${n}`,
        kind: "thumbnail",
        bytes: 5,
      });
    }
    expect(await removalsPausedBy()).toBe("missing-files");
  });

  it("still pauses removals after the database's age has been accepted", async () => {
    const file = await addWithFile("a");
    await identifySite();
    const restore = site.copyDatabase();
    for (let minute = 0; minute < 5; minute++) await tick();
    restore();
    fs.rmSync(file);
    expect(await identifySite()).toBe("older-database");
    await correctStorage();
    await resumeRemovals();
    expect(await removalsPausedBy()).toBe("missing-files");
    await resumeRemovals();
    expect(await removalsPausedBy()).toBeUndefined();
  });

  it("isn't given a marker, so that the right folder is recognized when it is mounted", async () => {
    await addWithFile("a");
    fs.rmSync(path.join(site.uploads, "videos"), { recursive: true });
    expect(await identifySite()).toBe("missing-files");
    expect(fs.existsSync(path.join(site.uploads, "site.json"))).toBe(false);
  });

  it("resumes removals when the files are back, or when an owner accepts that they are lost", async () => {
    const file = await addWithFile("a");
    fs.renameSync(file, `${file}.away`);
    expect(await removalsPausedBy()).toBe("missing-files");
    fs.renameSync(`${file}.away`, file);
    expect(await removalsPausedBy()).toBeUndefined();
    fs.rmSync(file);
    await expectSuccessOf(resume);
    await expect.poll(() => removalsPausedBy()).toBeUndefined();
  });
});

describe("another site's uploads folder", () => {
  it("pauses removals", async () => {
    await addWithFile("a");
    await identifySite();
    const other = { id: "6f0a9f5e-0000-4000-8000-000000000000", clock: 0 };
    fs.writeFileSync(path.join(site.uploads, "site.json"), JSON.stringify(other));
    expect(await identifySite()).toBe("other-database");
    expect(marker()).toEqual(other);
    await acceptUploadsFolder();
    expect(await removalsPausedBy()).toBeUndefined();
  });

  it("is adopted when it is empty", async () => {
    await identifySite();
    const { id } = marker();
    useNewDatabase();
    await signInAdmin();
    expect(await identifySite()).toBeUndefined();
    expect(marker().id).toBe(id);
  });
});
