import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "~/features/api/operations.server";
import * as schemas from "~/features/api/schemas";
import { makeClip } from "../../media-clips";
import { ADMIN, SiteProcess } from "../../site-process";

const site = new SiteProcess();
const variables: Record<string, string> = {};
const run = promisify(execFile);
const remaining = new Set(OPERATIONS.map(({ name }) => name));

/** Runs an operation's example as if it were pasted into a shell, in a folder that contains a file named video.mp4. */
async function example(name: string): Promise<string> {
  const operation = OPERATIONS.find((each) => each.name === name);
  remaining.delete(name);
  const env = { ...process.env, SITE: site.url, ...variables };
  const { stdout } = await run("bash", ["-ec", operation!.example], { cwd: site.folder, env });
  return stdout;
}

beforeAll(async () => {
  await site.start();
  makeClip(site.folder, "video");
  const headers = { Origin: site.url, "Sec-Fetch-Site": "same-origin" };
  const post = (path: string, fields: [string, string][], cookie = "") =>
    fetch(site.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { ...headers, Cookie: cookie },
      body: new URLSearchParams(fields),
    });
  const signedIn = await post("/auth", Object.entries(ADMIN));
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  const fields: [string, string][] = [
    ["intent", "create"],
    ["name", "The examples"],
    ["days", "7"],
    ["current", ADMIN.password],
    ...["read", "upload", "edit", "publish", "delete"].map((scope): [string, string] => [
      "scope",
      scope,
    ]),
  ];
  const page = await (await post("/admin/tokens", fields, cookie)).text();
  variables.TOKEN = /afterdark_[\w-]{43}/.exec(page)?.[0] ?? "";
  expect(variables.TOKEN).not.toBe("");
  // The token is shown only once.
  const later = await fetch(`${site.url}/admin/tokens`, { headers: { Cookie: cookie } });
  expect(await later.text()).not.toContain(variables.TOKEN);
});
afterAll(() => site.remove());

describe("the examples on the reference page", () => {
  it("upload a file and create one video from it", async () => {
    const begun = await example("beginUpload");
    variables.UPLOAD = /^location: \S*\/api\/v1\/uploads\/([\w-]+)/im.exec(begun)?.[1] ?? "";
    expect(await example("readUpload")).toMatch(/^upload-offset: 0\r?$/im);
    await example("continueUpload");
    const made = schemas.video.parse(JSON.parse(await example("createVideo")));
    expect(made).toMatchObject({ title: "Evening by the sea", status: "review", tags: ["sea"] });
    expect(made.duration).toBe("0:02");
    variables.VIDEO = made.id;
    // Repeating the request returns the same video.
    expect(JSON.parse(await example("createVideo")).id).toBe(made.id);
    const { count } = site.database().prepare("SELECT count(*) AS count FROM videos").get() as {
      count: number;
    };
    expect(count).toBe(1);
  });

  it("change, publish, hide and schedule a video", async () => {
    expect(await example("readVideo")).toMatch(/^etag: "/im);
    const changed = schemas.video.parse(JSON.parse(await example("changeVideo")));
    expect(changed.title).toBe("Morning by the sea");
    const page = `${site.url}/video/${variables.VIDEO}`;
    expect((await fetch(page)).status).toBe(404);
    expect(JSON.parse(await example("publishVideo")).status).toBe("published");
    expect((await fetch(page)).status).toBe(200);
    expect(JSON.parse(await example("hideVideo")).status).toBe("hidden");
    expect((await fetch(page)).status).toBe(404);
    expect(JSON.parse(await example("scheduleVideo")).unpublishAt).toMatch(/Z$/);
  });

  it("list videos, read the queue and the statistics, and delete a video", async () => {
    schemas.videoPage.parse(JSON.parse(await example("listVideos")));
    expect(schemas.terms.parse(JSON.parse(await example("readTerms"))).required).toBe(false);
    const { jobs } = schemas.queue.parse(JSON.parse(await example("readQueue")));
    expect(jobs.map(({ videoId }) => videoId)).toContain(variables.VIDEO);
    const { days, videos } = schemas.statistics.parse(JSON.parse(await example("readStatistics")));
    expect([days.length, videos]).toEqual([7, 1]);
    expect(await example("deleteVideo")).toBe("");
    await expect(example("readVideo")).rejects.toThrow("404");
    const begun = await example("beginUpload");
    variables.UPLOAD = /^location: \S*\/([\w-]+)\r?$/im.exec(begun)?.[1] ?? "";
    await example("deleteUpload");
    await expect(example("readUpload")).rejects.toThrow();
  });

  it("are all tested", () => {
    expect([...remaining]).toEqual([]);
  });
});

it("doesn't accept API tokens on pages, and serves the API reference to everyone", async () => {
  const headers = { Authorization: `Bearer ${variables.TOKEN}` };
  const page = await fetch(`${site.url}/admin`, { headers, redirect: "manual" });
  expect(page.headers.get("Location")).toBe("/auth");
  const reference = await (await fetch(`${site.url}/api`)).text();
  const ids = OPERATIONS.filter(({ name }) => !reference.includes(`id="${name}"`));
  expect(ids).toEqual([]);
  expect(reference.includes("/api/v1/videos/{id}")).toBe(true);
  expect((await fetch(`${site.url}/api/v1/openapi.json`)).status).toBe(200);
});
