import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command } from "../../command";
import { isNginxInstalled, startNginx } from "../../servers/nginx";
import { ADMIN, SiteProcess } from "../../site-process";

/** A site that creates its own database. */
const site = new SiteProcess({ ADMIN_EMAIL: ADMIN.email, ACCEL_PREFIX: "/protected" });
beforeAll(() => site.start());
afterAll(() => site.remove());

/** Returns the files and folders that users outside the group may read, write or enter. */
function openToOthers(folder: string): string[] {
  return [folder, ...fs.readdirSync(folder, { recursive: true, encoding: "utf8" })]
    .map((name) => path.resolve(folder, name))
    .filter((file) => (fs.statSync(file).mode & 0o007) !== 0);
}

describe("files that the site and its commands create", () => {
  it("can't be read by other users", () => {
    const names = fs.readdirSync(site.uploads);
    expect(names).toEqual(expect.arrayContaining(["videos", "thumbnails", "site.json"]));
    expect(openToOthers(site.uploads)).toEqual([]);
    expect(openToOthers(path.dirname(site.databasePath))).toEqual([]);
  });

  it("can be read by the group, so that nginx can send them", () => {
    for (const name of ["videos", "thumbnails"]) {
      expect(fs.statSync(path.join(site.uploads, name)).mode & 0o070).toBe(0o050);
    }
  });

  it("can't be read by other users even if a command creates them with a permissive umask", () => {
    const target = path.join(site.folder, "backup");
    execFileSync(
      "sh",
      ["-c", 'umask 000; exec "$@"', "sh", process.execPath, ...command("backup", target)],
      {
        env: {
          ...process.env,
          DATABASE_PATH: site.databasePath,
          UPLOADS_DIR: site.uploads,
        },
      },
    );
    expect(fs.readdirSync(target).length).toBeGreaterThan(0);
    expect(openToOthers(target)).toEqual([]);
  });
});

const NOBODY = 65_534;

describe.runIf(isNginxInstalled && process.getuid?.() === 0)("nginx with docs/nginx.conf", () => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ["sends files as a member of the site's group", process.getgid?.() ?? 0, 200],
    ["can't read files outside the site's group", NOBODY, 403],
  ])("%s", async (_, gid, status) => {
    const url = site.addFile("videos", "u/1700000000000.mp4", "0123456789");
    const file = path.join(site.uploads, url.replace("/media/", ""));
    fs.chmodSync(file, 0o640);
    fs.chmodSync(path.dirname(file), 0o750);
    fs.chmodSync(site.folder, 0o755);
    site.database().exec("DELETE FROM videos");
    site.addVideo({ video_url: url });
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "nginx-"));
    folders.push(folder);
    fs.chownSync(folder, NOBODY, gid);
    const nginx = await startNginx(
      "nginx.conf",
      folder,
      [
        [/site:3000;/, `${new URL(site.url).host};`],
        [/\/srv\/afterdark\/uploads/, site.uploads],
      ],
      { uid: NOBODY, gid },
    );
    try {
      const response = await fetch(nginx.url + url);
      expect(response.status).toBe(status);
      if (status === 200) expect(await response.text()).toBe("0123456789");
    } finally {
      nginx.process.kill();
    }
  });
});
