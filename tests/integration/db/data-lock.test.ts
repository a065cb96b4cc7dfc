import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mp4Clip } from "../../clips";
import { command } from "../../command";
import { MULTIPART, multipartParts, openRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { filesIn, GOOD_TEXTS } from "../../upload-requests";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const clip = fs.readFileSync(mp4Clip(2));
const { before, after } = multipartParts(GOOD_TEXTS);

const site = new SiteProcess();
let cookie: string;
beforeAll(async () => {
  await site.start();
  cookie = await signInTo(site);
});
afterAll(() => site.remove());

/** Creates another site that shares one or both folders with the running site. */
const second = (shared: Record<string, string>, uploads?: string) => {
  const other = new SiteProcess({ ...shared, ...(uploads && { UPLOADS_DIR: uploads }) });
  return other;
};

async function startError(other: SiteProcess): Promise<string> {
  const error = await other.start().then(
    () => new Error("The second start didn't fail."),
    (reason: Error) => reason,
  );
  await other.remove();
  return error.message.replace("The site exited during its start:\n", "").trim();
}

const holder = () => `is in use by the site, process ${site.child?.pid} on ${os.hostname()} since `;
const wayOut =
  ". Stop that process first, or set DATA_LOCK=off if you are sure that it no longer runs.";

it("refuses to start if another process is using the database, and identifies that process", async () => {
  const message = await startError(second({ DATABASE_PATH: site.databasePath }));
  expect(message).toContain(`${site.databasePath} ${holder()}`);
  expect(message.endsWith(wayOut)).toBe(true);
  expect(message).not.toContain("\n");
});

it("doesn't disrupt an upload in progress when a second site tries to start with the same uploads folder", async () => {
  const open = openRequest(site, "POST", "/admin", { ...MULTIPART, Cookie: cookie });
  await open.send(before);
  await open.send(clip.subarray(0, 40_000));
  await expect.poll(() => filesIn(`${site.uploads}/tmp`).length).toBe(1);
  const message = await startError(second({}, site.uploads));
  expect(message).toContain(`${site.uploads} ${holder()}`);
  open.request.end(Buffer.concat([clip.subarray(40_000), Buffer.from(after)]));
  const { status, headers } = await open.response;
  expect([status, headers.location]).toEqual([302, "/admin"]);
  expect(filesIn(`${site.uploads}/videos`)).toHaveLength(1);
});

it("starts with DATA_LOCK=off, and doesn't disrupt the other site's upload in progress", async () => {
  const open = openRequest(site, "POST", "/admin", { ...MULTIPART, Cookie: cookie });
  await open.send(before);
  await open.send(clip.subarray(0, 40_000));
  await expect.poll(() => filesIn(`${site.uploads}/tmp`).length).toBe(1);
  const other = second({ DATA_LOCK: "off" }, site.uploads);
  await other.start();
  open.request.end(Buffer.concat([clip.subarray(40_000), Buffer.from(after)]));
  expect((await open.response).headers.location).toBe("/admin");
  await other.remove();
});

const script = (name: string, ...args: string[]) =>
  execa(process.execPath, command(name, ...args), {
    cwd: root,
    reject: false,
    env: { DATABASE_PATH: site.databasePath, UPLOADS_DIR: site.uploads },
  });

it("allows other commands while the site is running, but not a restore", async () => {
  const backup = path.join(site.folder, "backup");
  expect((await script("backup", backup)).exitCode).toBe(0);
  expect((await script("check-library")).exitCode).toBe(0);
  const { exitCode, stderr } = await script("restore", backup);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(holder());
});

it("releases the lock when the process is killed", async () => {
  await site.stop("SIGKILL");
  await site.start();
  expect((await fetch(`${site.url}/healthz`)).status).toBe(200);
});
