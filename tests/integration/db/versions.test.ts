import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, describe, expect, it } from "vitest";
import { type DescribedSite, describeSite } from "../../../scripts/versions/describe-site";
import { until } from "../../process-figures";
import { ask, signInTo } from "../../site-client";
import { ADMIN, SiteProcess } from "../../site-process";

const FOLDER = fileURLToPath(new URL("../../versions", import.meta.url));
const VERSIONS = fs
  .readdirSync(FOLDER)
  .filter((name) => name.endsWith(".tar.gz"))
  .map((name) => name.replace(".tar.gz", ""));
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
  const command = ["--import", "tsx", `scripts/${name}.ts`, ...args];
  return execa(process.execPath, command, { env, extendEnv: false });
}

it("there is a site of a released version", () => {
  expect(VERSIONS).toContain("0.1.0");
});

describe.each(VERSIONS)("a site of version %s", (version) => {
  const left = JSON.parse(
    fs.readFileSync(path.join(FOLDER, `${version}.json`), "utf8"),
  ) as DescribedSite;

  it("is brought to this one, used, backed up and restored", async () => {
    const site = newSite();
    const archive = path.join(FOLDER, `${version}.tar.gz`);
    execFileSync("tar", ["-xzf", archive, "-C", site.folder]);
    // As on the day it was left: the trash is emptied after a month.
    const now = new Date().toISOString();
    site.database().prepare("UPDATE deleted_videos SET deleted_at = ?").run(now);
    await site.start();
    expect(describeSite(site)).toEqual(left);
    await isShown(site, left);

    const cookie = await signInTo(site, ADMIN);
    const send = async (to: string, fields: Record<string, string>) => {
      const body = new URLSearchParams(fields).toString();
      const { status } = await ask(site, "POST", to, { Cookie: cookie, ...FORM }, body);
      expect([to, fields.intent, status]).toEqual([to, fields.intent, 302]);
    };
    const [first] = left.videos.filter(({ status }) => status === "published");
    const { id, description, category } = first!;
    const tags = "night, new";
    await send("/admin", { intent: "update", id, title: "Renamed", description, category, tags });
    await send("/admin", { intent: "toggle", id, expectedStatus: "published" });
    for (const { id: deleted } of left.trash) {
      await send("/admin/trash", { intent: "restore", selected: deleted });
    }
    const used = describeSite(site);
    expect(used.videos.find((video) => video.id === id)).toMatchObject({
      ...{ title: "Renamed", tags: '["night","new"]', status: "hidden" },
      files: first!.files,
    });
    expect(used.trash).toEqual([]);
    expect(used.videos).toHaveLength(left.videos.length + left.trash.length);
    await isShown(site, used);
    expect(await (await fetch(`${site.url}/?search=Renamed`)).text()).not.toContain(id);

    const backup = path.join(site.folder, "backup");
    await script(site, "backup", backup, "--with-uploads");
    const restored = newSite();
    fs.mkdirSync(path.dirname(restored.databasePath));
    await script(restored, "restore", backup);
    await restored.start();
    expect(describeSite(restored)).toEqual(used);
    await isShown(restored, used);
  }, 120_000);
});

/** What visitors get: public videos with each of their files, and none of the others. */
async function isShown(site: SiteProcess, { videos }: DescribedSite): Promise<void> {
  await until(async () => (await fetch(`${site.url}/healthz`)).ok);
  const home = await (await fetch(site.url)).text();
  for (const { id, title, status, files } of videos) {
    const isPublic = status === "published";
    expect([title, home.includes(`/video/${id}`)]).toEqual([title, isPublic]);
    const page = await fetch(`${site.url}/video/${id}`);
    expect([title, page.status]).toEqual([title, isPublic ? 200 : 404]);
    for (const url of Object.keys(files)) {
      if (url.includes("/original-")) continue;
      const answer = await fetch(site.url + url);
      await answer.arrayBuffer();
      expect([url, answer.status]).toEqual([url, isPublic ? 200 : 404]);
    }
  }
}
