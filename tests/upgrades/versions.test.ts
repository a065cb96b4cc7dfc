import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json";
import { command } from "../command";
import { until } from "../process-figures";
import { sendRequest, signInTo } from "../site-client";
import { ADMIN, SiteProcess } from "../site-process";
import { type DescribedSite, describeSite } from "./describe-site";

const KEEP = fileURLToPath(new URL("./keep-version.ts", import.meta.url));
/** The folder with a site from each release since 0.2.0, saved by `npm run keep-version`. */
const KEPT = fileURLToPath(new URL("../versions", import.meta.url));
const VERSIONS = fs
  .readdirSync(KEPT)
  .filter((name) => name.endsWith(".tar.gz"))
  .map((name) => name.replace(".tar.gz", ""));
/** The timeout for creating a site. The site's jobs take about half a minute of CPU time. */
const CREATION_TIMEOUT_MS = 300_000;
/**
 * A folder with a site created by this version. Testing it ensures that the site can be saved when the next version is
 * released.
 */
const CURRENT = fs.mkdtempSync(path.join(os.tmpdir(), "keep-version-"));
beforeAll(async () => {
  await execa(process.execPath, ["--import", "tsx", KEEP, CURRENT]);
}, CREATION_TIMEOUT_MS);
afterAll(() => fs.rmSync(CURRENT, { recursive: true, force: true }));

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

const sites: SiteProcess[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.remove();
});
function newSite(): SiteProcess {
  const site = new SiteProcess();
  sites.push(site);
  return site;
}

function script(site: SiteProcess, name: string, ...args: string[]) {
  const env = {
    ...{ PATH: process.env.PATH, NODE_ENV: "production" },
    ...{ DATABASE_PATH: site.databasePath, UPLOADS_DIR: site.uploads },
  };
  return execa(process.execPath, command(name, ...args), { env, extendEnv: false });
}

describe.each([
  ["this version", CURRENT, packageJson.version],
  ...VERSIONS.map((version) => [`version ${version}`, KEPT, version]),
])("a site from %s", (_, folder, version) => {
  it("can be upgraded, used, backed up and restored", async () => {
    const saved = JSON.parse(
      fs.readFileSync(path.join(folder, `${version}.json`), "utf8"),
    ) as DescribedSite;
    expect(saved.videos).toHaveLength(3);
    const site = newSite();
    const archive = path.join(folder, `${version}.tar.gz`);
    execFileSync("tar", ["-xzf", archive, "-C", site.folder]);
    // Changes the deletion time to the current time, because videos are purged from the trash after a month.
    const now = new Date().toISOString();
    site.database().prepare("UPDATE deleted_videos SET deleted_at = ?").run(now);
    await site.start();
    expect(describeSite(site)).toEqual(saved);
    await expectShown(site, saved);

    const cookie = await signInTo(site, ADMIN);
    const send = async (to: string, fields: Record<string, string>) => {
      const body = new URLSearchParams(fields).toString();
      const { status } = await sendRequest(site, "POST", to, { Cookie: cookie, ...FORM }, body);
      expect([to, fields.intent, status]).toEqual([to, fields.intent, 302]);
    };
    const [first] = saved.videos.filter(({ status }) => status === "published");
    const { id, description, category } = first!;
    const tags = "night, new";
    await send("/admin", { intent: "update", id, title: "Renamed", description, category, tags });
    await send("/admin", { intent: "toggle", id, expectedStatus: "published" });
    for (const { id: deleted } of saved.trash) {
      await send("/admin/trash", { intent: "restore", selected: deleted });
    }
    const used = describeSite(site);
    expect(used.videos.find((video) => video.id === id)).toMatchObject({
      ...{ title: "Renamed", tags: '["night","new"]', status: "hidden" },
      files: first!.files,
    });
    expect(used.trash).toEqual([]);
    expect(used.videos).toHaveLength(saved.videos.length + saved.trash.length);
    await expectShown(site, used);
    expect(await (await fetch(`${site.url}/?search=Renamed`)).text()).not.toContain(id);

    const backup = path.join(site.folder, "backup");
    await script(site, "backup", backup, "--with-uploads");
    const restored = newSite();
    fs.mkdirSync(path.dirname(restored.databasePath));
    await script(restored, "restore", backup);
    await restored.start();
    expect(describeSite(restored)).toEqual(used);
    await expectShown(restored, used);
  }, 120_000);
});

/** Checks that visitors can load the public videos and all their files, but no other videos. */
async function expectShown(site: SiteProcess, { videos }: DescribedSite): Promise<void> {
  await until(async () => (await fetch(`${site.url}/healthz`)).ok);
  const home = await (await fetch(site.url)).text();
  for (const { id, title, status, files } of videos) {
    const isPublic = status === "published";
    expect([title, home.includes(`/video/${id}`)]).toEqual([title, isPublic]);
    const page = await fetch(`${site.url}/video/${id}`);
    expect([title, page.status]).toEqual([title, isPublic ? 200 : 404]);
    for (const url of Object.keys(files)) {
      if (url.includes("/original-")) continue;
      const response = await fetch(site.url + url);
      await response.arrayBuffer();
      expect([url, response.status]).toEqual([url, isPublic ? 200 : 404]);
    }
  }
}
