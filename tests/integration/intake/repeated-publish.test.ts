import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createToken } from "~/features/accounts/tokens/tokens.server";
import { action as actOnApi } from "~/features/api/routes/api";
import { applyConsentRequirement } from "~/features/consent/validity.server";
import { action as actOnPanel } from "~/features/library/routes/admin";
import { openSession } from "~/features/permissions/session.server";
import { removeVideos } from "~/features/trash/remove.server";
import type { UploadOutcome } from "~/features/upload/receive-upload.server";
import { action as publish } from "~/features/upload/routes/publish";
import { removeFiles } from "~/media/files/removals.server";
import { storeFinishedUpload } from "~/media/intake/tus.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle } from "~db/client.server";
import { stopRuntime } from "~db/runtime.server";
import { mp4Clip } from "../../clips";
import { insertUser, ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { filesIn, GOOD_TEXTS } from "../../upload-requests";

/** Tests that retrying a publish request after a lost connection returns the outcome of the first request. */

const FILE_THREADS = ["query threads", "password thread", "image process"];
let site: ReturnType<typeof useTemporarySite>;
let user: { id: string; email: string };
beforeEach(() => {
  site = useTemporarySite();
  user = insertUser();
});
afterEach(() => site.remove());

const videos = () => sqliteHandle().prepare("SELECT id, title FROM videos").all();

/** Completes a resumable upload. Returns its id. */
function arrivedUpload(): Promise<string> {
  const file = path.join(site.uploads, "tmp", "arrived");
  fs.copyFileSync(mp4Clip(2), file);
  const received = { path: file, name: "a.mp4", bytes: fs.statSync(file).size };
  return storeFinishedUpload(user.id, { ...received, sha256: "a".repeat(64) });
}

async function formOf(fields: Record<string, string>, path: string, as = user): Promise<Request> {
  const body = new FormData();
  for (const [name, value] of Object.entries({ ...GOOD_TEXTS, ...fields })) body.set(name, value);
  const cookie = (await openSession(as.id)).split(";")[0] ?? "";
  return new Request(ORIGIN + path, {
    method: "POST",
    body,
    headers: { Cookie: cookie, Origin: ORIGIN, Host: "localhost" },
  });
}

/** Sends the form as the browser's upload queue does. */
async function send(fields: Record<string, string>, as = user) {
  const request = await formOf(fields, "/admin/publish", as);
  const response = (await publish({ request, params: {}, context: {} })) as unknown as Response;
  return { status: response.status, outcome: (await response.json()) as UploadOutcome };
}

/** Clears the process's memory, as a restart does. */
const restart = () => stopRuntime({ except: FILE_THREADS });

describe("a repeated publish request", () => {
  it("gets the same outcome as the first request if that request is still running", async () => {
    const upload = await arrivedUpload();
    const all = await Promise.all([1, 2, 3].map(() => send({ upload })));
    expect(all.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(all[1]?.outcome).toEqual(all[0]?.outcome);
    expect(all[2]?.outcome).toEqual(all[0]?.outcome);
    expect(videos()).toHaveLength(1);
  });

  it("is rejected with the same error as the first request if that request is still running", async () => {
    const file = path.join(site.uploads, "tmp", "arrived");
    fs.writeFileSync(file, "not a video");
    const received = { path: file, name: "a.mp4", bytes: 11, sha256: "b".repeat(64) };
    const upload = await storeFinishedUpload(user.id, received);
    const both = await Promise.all([1, 2].map(() => send({ upload })));
    expect(both.map(({ status }) => status)).toEqual([415, 415]);
    expect(both[1]?.outcome).toEqual(both[0]?.outcome);
  });

  it("gets the same outcome if the first request has finished, even after a restart", async () => {
    const upload = await arrivedUpload();
    const first = await send({ upload });
    expect(first.status).toBe(201);
    expect(await send({ upload })).toEqual(first);
    await restart();
    expect(await send({ upload })).toEqual(first);
    expect(videos()).toHaveLength(1);
  });

  it("gets the same outcome even if the video has been deleted", async () => {
    const upload = await arrivedUpload();
    const first = await send({ upload });
    await removeVideos(
      (videos() as { id: string }[]).map(({ id }) => id),
      user.id,
    );
    expect(await send({ upload })).toEqual(first);
    expect(videos()).toEqual([]);
  });

  it("gets the same outcome even if the scheduled time has passed", async () => {
    const upload = await arrivedUpload();
    const publishAt = new Date(Date.now() + 60_000).toISOString();
    const first = await send({ upload, publishAt });
    expect(first).toMatchObject({ status: 201, outcome: { video: { publishAt } } });
    vi.useFakeTimers({ now: Date.now() + 120_000, toFake: ["Date"] });
    try {
      expect(await send({ upload, publishAt })).toEqual(first);
    } finally {
      vi.useRealTimers();
    }
  });

  it("gets the same outcome if the video still needs a consent record", async () => {
    process.env.REQUIRE_CONSENT = "on";
    forgetSettings();
    applyConsentRequirement();
    const upload = await arrivedUpload();
    const first = await send({ upload });
    expect(first.outcome).toMatchObject({ video: { status: "review", needsConsent: true } });
    await restart();
    expect(await send({ upload })).toEqual(first);
  });

  it("returns 404 to another user, both while the first request is running and afterward", async () => {
    const upload = await arrivedUpload();
    const other = insertUser("other@example.com");
    const [first, early] = await Promise.all([send({ upload }), send({ upload }, other)]);
    expect([first.status, early.status]).toEqual([201, 404]);
    expect((await send({ upload }, other)).status).toBe(404);
    await restart();
    const late = await send({ upload }, other);
    expect(late).toMatchObject({ status: 404, outcome: { ok: false } });
    expect(JSON.stringify(late.outcome)).not.toContain(
      (videos() as { id: string }[])[0]?.id as string,
    );
  });

  it("gets the same outcome even if the process was killed before it removed the upload", async () => {
    const upload = await arrivedUpload();
    const folder = path.join(site.uploads, "tmp/tus");
    fs.cpSync(folder, path.join(site.folder, "kept"), { recursive: true });
    const first = await send({ upload });
    await restart();
    fs.cpSync(path.join(site.folder, "kept"), folder, { recursive: true });
    expect(await send({ upload })).toEqual(first);
    expect(videos()).toHaveLength(1);
    await removeFiles();
    expect(filesIn(site.uploads)).toHaveLength(1);
  });

  it("succeeds even if the upload's files couldn't be removed", async () => {
    const upload = await arrivedUpload();
    sqliteHandle().exec(
      "CREATE TRIGGER broken BEFORE DELETE ON removals BEGIN SELECT RAISE(ABORT, 'no removals'); END",
    );
    const first = await send({ upload });
    expect(first.status).toBe(201);
    expect(vi.mocked(console.error).mock.calls.flat().join()).toContain("no removals");
    vi.mocked(console.error).mockClear();
    sqliteHandle().exec("DROP TRIGGER broken");
    expect(await send({ upload })).toEqual(first);
    expect(videos()).toHaveLength(1);
  });
});

describe("another tab's form for the same upload", () => {
  it("gets the same outcome as the first form if that form succeeds", async () => {
    const upload = await arrivedUpload();
    const [first, second] = await Promise.all([
      send({ upload, title: "One" }),
      send({ upload, title: "Two" }),
    ]);
    expect(second).toEqual(first);
    expect(videos()).toMatchObject([{ title: "One" }]);
  });

  it("publishes the video with its own text if the first form is rejected", async () => {
    const upload = await arrivedUpload();
    const [first, second] = await Promise.all([
      send({ upload, title: "" }),
      send({ upload, title: "Two" }),
    ]);
    expect([first.status, second.status]).toEqual([422, 201]);
    expect(videos()).toMatchObject([{ title: "Two" }]);
  });

  it("doesn't create a second video, even without JavaScript", async () => {
    const upload = await arrivedUpload();
    const submit = async () => {
      const request = await formOf({ upload }, "/admin");
      const thrown = await actOnPanel({ request, params: {}, context: {} }).catch(
        (e: unknown) => e,
      );
      return thrown as Response;
    };
    const [first, second] = await Promise.all([submit(), submit()]);
    const third = await submit();
    for (const response of [first, second, third]) {
      expect([response.status, response.headers.get("Location")]).toEqual([302, "/admin"]);
    }
    expect(videos()).toHaveLength(1);
  });
});

describe("two API requests that create a video from the same upload", () => {
  async function create(token: string, upload: string) {
    const json = { upload, title: "A", description: "B", category: "desi", tags: [] };
    const request = new Request(`${ORIGIN}/api/v1/videos`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(json),
    });
    const args = { request, params: { "*": "videos" }, context: {} };
    const response = (await actOnApi(args as never)) as Response;
    return { status: response.status, body: await response.json() };
  }
  function tokenOf(of: { id: string; email: string }): Promise<string> {
    const form = new FormData();
    for (const [name, value] of [
      ["name", "a client"],
      ["days", "7"],
      ["scope", "upload"],
    ]) {
      form.append(name as string, value as string);
    }
    return createToken({ ...of, role: "owner", mayPublish: true }, form);
  }

  it("create only one video, and both return it", async () => {
    const upload = await arrivedUpload();
    const token = await tokenOf(user);
    const [first, second] = await Promise.all([create(token, upload), create(token, upload)]);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.id).toBe(first.body.id);
    await restart();
    expect((await create(token, upload)).body.id).toBe(first.body.id);
    expect(videos()).toHaveLength(1);
    const other = await tokenOf(insertUser("other@example.com"));
    expect((await create(other, upload)).status).toBe(404);
  });

  it("return 409 the second time if the video has been deleted in the meantime", async () => {
    const upload = await arrivedUpload();
    const token = await tokenOf(user);
    const { body } = await create(token, upload);
    await removeVideos([body.id], user.id);
    const again = await create(token, upload);
    expect([again.status, again.body.detail]).toEqual([
      409,
      "The video of this upload was deleted.",
    ]);
    expect(videos()).toEqual([]);
  });
});
