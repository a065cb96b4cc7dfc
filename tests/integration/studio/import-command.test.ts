import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, expect, it } from "vitest";
import { requireTerms, saveTerms } from "~/features/moderation/uploaders/terms.server";
import { sqliteHandle } from "~db/client.server";
import { mp4Clip } from "../../clips";
import { command } from "../../command";
import { until } from "../../process-figures";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

const root = fileURLToPath(new URL("../../..", import.meta.url));

let site: ReturnType<typeof useTemporarySite>;
let folder: string;
beforeEach(() => {
  site = useTemporarySite();
  folder = path.join(site.folder, "clips");
  fs.mkdirSync(folder);
  insertUser("admin@example.com");
});
afterEach(() => site.remove());

/** Runs the import command as a single process, without npm. */
const importCommand = (...args: string[]) =>
  execa(process.execPath, command("import", ...args), {
    cwd: root,
    reject: false,
  });

/** Creates clips that differ in an MP4 box at the end. The box is sparse, so it doesn't take up disk space. */
function put(count: number, paddingBytes = 0): void {
  const clip = fs.readFileSync(mp4Clip(1));
  for (let n = 0; n < count; n += 1) {
    const box = Buffer.alloc(16);
    box.writeUInt32BE(box.length + paddingBytes);
    box.write("free", 4);
    box.writeUInt32BE(n, 8);
    const file = path.join(folder, `clip-${n}.mp4`);
    fs.writeFileSync(file, Buffer.concat([clip, box]));
    fs.truncateSync(file, clip.length + box.length + paddingBytes);
  }
}

function isReadingClip(pid = 0): boolean {
  const clips = path.join(folder, "clip-");
  try {
    const open = fs.readdirSync(`/proc/${pid}/fd`);
    return open.some((fd) => fs.readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith(clips));
  } catch {
    // The file was closed after the folder was read.
    return false;
  }
}
const videos = () => sqliteHandle().prepare("SELECT count(*) FROM videos").pluck().get();

it("the import command prints its usage and reports invalid arguments", async () => {
  expect(await importCommand("--help")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("npm run import -- FOLDER [options]"),
  });
  for (const [args, message] of [
    [[], "Specify one folder."],
    [[folder, "--copy", "--move"], "Use only one of --copy, --move and --link."],
    [[folder, "--category", "cats"], "--category must be desi, blacked"],
    [[path.join(site.uploads, "videos")], "must not overlap with the uploads"],
  ] as const) {
    const { exitCode, stderr } = await importCommand(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toContain("    at ");
  }
});

it("the import command imports files, prints a summary, and doesn't import any file twice", async () => {
  put(3);
  fs.copyFileSync(path.join(folder, "clip-0.mp4"), path.join(folder, "the-same.mp4"));
  fs.writeFileSync(path.join(folder, "broken.mp4"), "no video at all");
  const dry = await importCommand(folder, "--category", "desi", "--dry-run");
  expect(dry.stdout).toContain("5 would be imported, 0 can't be imported.");
  expect(videos()).toBe(0);

  const first = await importCommand(folder, "--category", "desi", "--status", "hidden");
  expect(first.exitCode).toBe(1);
  expect(first.stdout).toContain('the-same.mp4: duplicate of "Clip 0".');
  expect(first.stdout).toMatch(/3 imported \(.+\), 0 already imported, 1 duplicate, 1 failed/);
  expect(first.stderr).toContain("broken.mp4: This file isn’t a supported video.");
  expect(videos()).toBe(3);

  const again = await importCommand(folder, "--category", "desi");
  expect(again.stdout).toMatch(/0 imported \(.+\), 3 already imported/);
  expect(videos()).toBe(3);
});

it("the import command exits with 130 on SIGINT, and resumes on the next run", async () => {
  put(20, 5 * 1024 * 1024);
  const running = importCommand(folder, "--category", "desi", "--move");
  await until(() => isReadingClip(running.pid));
  running.kill("SIGINT");
  const { exitCode, stdout } = await running;
  expect([exitCode, stdout]).toEqual([130, expect.stringContaining("Run the same command again")]);
  expect(Number(videos())).toBeLessThan(20);

  const rest = await importCommand(folder, "--category", "desi", "--move");
  expect(rest.exitCode).toBe(0);
  expect(videos()).toBe(20);
  expect(fs.readdirSync(folder)).toEqual([]);
  const titles = sqliteHandle().prepare("SELECT count(DISTINCT title) FROM videos").pluck().get();
  expect(titles).toBe(20);
  // The timeout is long, because both imports sync their files to the disk, which also waits for other processes'
  // writes.
}, 120_000);

it("the import command lists files without a category once, before importing anything", async () => {
  put(5);
  fs.mkdirSync(path.join(folder, "desi"));
  fs.renameSync(path.join(folder, "clip-4.mp4"), path.join(folder, "desi", "clip-4.mp4"));
  const { exitCode, stdout, stderr } = await importCommand(folder);
  expect(stderr.split("\n").filter((line) => line.includes("category"))).toEqual([
    "4 of 5 files have no category and will be skipped (clip-0.mp4, clip-1.mp4, clip-2.mp4 and 1 more). To import them, set --category to desi, blacked, english, pornstar or premium.",
  ]);
  expect(stderr.trimStart().startsWith("4 of 5")).toBe(true);
  expect(stdout).toContain("1 imported");
  expect(stdout).toContain("4 failed");
  expect(exitCode).toBe(1);
  expect((await importCommand(folder, "--category", "desi")).stdout).toContain(
    "1 already imported",
  );
});

it("the import command requires the current terms version if uploaders must accept the terms", async () => {
  put(1);
  const { id } = sqliteHandle().prepare("SELECT id FROM users").get() as { id: string };
  await saveTerms("Be good.", 0, id);
  await requireTerms(true, id);
  expect(await importCommand(folder, "--category", "desi", "--dry-run")).toMatchObject({
    exitCode: 0,
  });
  for (const more of [[], ["--accept-terms", "2"]]) {
    expect(await importCommand(folder, "--category", "desi", ...more)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/Read them at \/admin\/terms, .* with --accept-terms 1\./),
    });
  }
  expect(videos()).toBe(0);
  expect(await importCommand(folder, "--category", "desi", "--accept-terms", "1")).toMatchObject({
    exitCode: 0,
  });
  const accepted = sqliteHandle().prepare("SELECT version, user_id AS id FROM accepted_terms");
  expect(accepted.all()).toEqual([{ version: 1, id }]);
});

it("the demo command fails before generating any videos if uploaders must accept terms", async () => {
  const { id } = sqliteHandle().prepare("SELECT id FROM users").get() as { id: string };
  await saveTerms("Be good.", 0, id);
  await requireTerms(true, id);
  expect(
    await execa(process.execPath, command("demo"), { cwd: root, reject: false }),
  ).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringContaining("The demo can't accept the terms for you"),
  });
});
