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

/** Another site of which one folder, or both, are those of the running one. */
const second = (shared: Record<string, string>, uploads?: string) => {
  const other = new SiteProcess({ ...shared, ...(uploads && { UPLOADS_DIR: uploads }) });
  return other;
};

async function startError(other: SiteProcess): Promise<string> {
  const error = await other.start().then(
    () => new Error("The second start was not refused."),
    (reason: Error) => reason,
  );
  await other.remove();
  return error.message.replace("The site ended at its start:\n", "").trim();
}

const holder = () => `is in use by the site, process ${site.child?.pid} on ${os.hostname()} since `;
const wayOut = "; stop that first, or set DATA_LOCK=off if it is certain that it no longer runs.";

it("a second start on the database of a running site says in one sentence who has it", async () => {
  const said = await startError(second({ DATABASE_PATH: site.databasePath }));
  expect(said).toContain(`${site.databasePath} ${holder()}`);
  expect(said.endsWith(wayOut)).toBe(true);
  expect(said).not.toContain("\n");
});

it("a second start on its uploads leaves an upload alone that is under way", async () => {
  const open = openRequest(site, "POST", "/admin", { ...MULTIPART, Cookie: cookie });
  await open.send(before);
  await open.send(clip.subarray(0, 40_000));
  await expect.poll(() => filesIn(`${site.uploads}/tmp`).length).toBe(1);
  const said = await startError(second({}, site.uploads));
  expect(said).toContain(`${site.uploads} ${holder()}`);
  open.request.end(Buffer.concat([clip.subarray(40_000), Buffer.from(after)]));
  const { status, headers } = await open.answer;
  expect([status, headers.location]).toEqual([302, "/admin"]);
  expect(filesIn(`${site.uploads}/videos`)).toHaveLength(1);
});

it("DATA_LOCK=off starts all the same, and spares what is arriving by the other", async () => {
  const open = openRequest(site, "POST", "/admin", { ...MULTIPART, Cookie: cookie });
  await open.send(before);
  await open.send(clip.subarray(0, 40_000));
  await expect.poll(() => filesIn(`${site.uploads}/tmp`).length).toBe(1);
  const other = second({ DATA_LOCK: "off" }, site.uploads);
  await other.start();
  open.request.end(Buffer.concat([clip.subarray(40_000), Buffer.from(after)]));
  expect((await open.answer).headers.location).toBe("/admin");
  await other.remove();
});

const script = (name: string, ...args: string[]) =>
  execa(process.execPath, command(name, ...args), {
    cwd: root,
    reject: false,
    env: { DATABASE_PATH: site.databasePath, UPLOADS_DIR: site.uploads },
  });

it("programs that may run beside the site still may, and a restore may not", async () => {
  const backup = path.join(site.folder, "backup");
  expect((await script("backup", backup)).exitCode).toBe(0);
  expect((await script("check-library")).exitCode).toBe(0);
  const { exitCode, stderr } = await script("restore", backup);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(holder());
});

it("the lock of a process that was killed is gone with it", async () => {
  await site.stop("SIGKILL");
  await site.start();
  expect((await fetch(`${site.url}/healthz`)).status).toBe(200);
});
