import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createToken } from "~/features/accounts/tokens/tokens.server";
import { openApiDocument } from "~/features/api/openapi.server";
import { OPERATIONS } from "~/features/api/operations.server";
import { action } from "~/features/api/routes/api";
import { storeFinishedUpload } from "~/media/intake/tus.server";
import { disableBusyTimeout, openSqlite, sqliteHandle } from "~db/client.server";
import { stopRuntime } from "~db/runtime.server";
import { mp4Clip } from "../../clips";
import { insertUser, ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

/** Tests that each operation that changes videos happens once per Idempotency-Key, even after interruptions. */

const TESTED_THREADS = ["query threads", "password thread", "image process"];
const SCOPES = ["read", "upload", "edit", "publish", "delete"];
let site: ReturnType<typeof useTemporarySite>;
let user: { id: string; email: string };
let token: string;
let upload: string;
beforeEach(async () => {
  site = useTemporarySite();
  user = insertUser();
  token = await tokenOf(user);
  sqliteHandle().exec(
    "INSERT INTO videos (id, title, category, status) VALUES ('v', 'A video', 'desi', 'review')",
  );
  // Delete the activity that records the token's creation.
  sqliteHandle().exec("DELETE FROM activities");
  upload = await arrivedUpload();
});
afterEach(() => site.remove());

function tokenOf(of: { id: string; email: string }): Promise<string> {
  const form = new FormData();
  form.set("name", "a client");
  form.set("days", "7");
  for (const scope of SCOPES) form.append("scope", scope);
  return createToken({ ...of, role: "owner", mayPublish: true }, form);
}

/** Completes a resumable upload. Returns its id. */
function arrivedUpload(): Promise<string> {
  const file = path.join(site.uploads, "tmp", "arrived");
  fs.copyFileSync(mp4Clip(2), file);
  const bytes = fs.statSync(file).size;
  return storeFinishedUpload(user.id, { path: file, name: "a.mp4", bytes, sha256: "a".repeat(64) });
}

interface Sent {
  json?: unknown;
  headers?: Record<string, string>;
}

const TEXTS = { title: "A", description: "B", category: "desi", tags: [] };
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();

/** Returns the request for each operation that changes videos. */
const CHANGES: Record<string, () => Sent> = {
  createVideo: () => ({ json: { ...TEXTS, upload } }),
  changeVideo: () => ({ json: { title: "Another title" }, headers: { "If-Match": "*" } }),
  publishVideo: () => ({}),
  hideVideo: () => ({}),
  scheduleVideo: () => ({ json: { publishAt: inAnHour, unpublishAt: null } }),
  deleteVideo: () => ({}),
};
const NAMES = Object.keys(CHANGES);

async function send(name: string, key = "key", as = token) {
  const { method, path } = OPERATIONS.find((each) => each.name === name)!;
  const url = path.slice(1).replace("{id}", "v");
  const { json, headers } = CHANGES[name]!();
  const request = new Request(`${ORIGIN}/api/v1/${url}`, {
    method,
    headers: {
      Authorization: `Bearer ${as}`,
      "Idempotency-Key": key,
      ...(json !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    body: json === undefined ? undefined : JSON.stringify(json),
  });
  const args = { request, params: { "*": url }, context: {} };
  const response = (await action(args as never)) as Response;
  const sent = Object.fromEntries(response.headers);
  return { status: response.status, headers: sent, body: await response.text() };
}

const replayed = (response: Awaited<ReturnType<typeof send>>) => ({
  ...response,
  headers: { ...response.headers, "idempotent-replayed": "true" },
});

/** Returns the number of changes made so far. Each change is recorded as one activity. */
const effects = () => sqliteHandle().prepare("SELECT count(*) FROM activities").pluck().get();

/** Returns everything that an operation could have changed. */
const state = () =>
  ["videos", "deleted_videos", "activities", "media_files", "api_answers"].map((table) =>
    sqliteHandle().prepare(`SELECT * FROM ${table}`).all(),
  );

/** Clears the process's state, as a restart does. */
const restart = () => stopRuntime({ except: TESTED_THREADS });

it("covers every operation that changes videos, except uploads, which tus resumes without a key", () => {
  const changing = OPERATIONS.filter(({ method }) => !["GET", "HEAD"].includes(method));
  const ofUploads = ["beginUpload", "continueUpload", "deleteUpload"];
  expect(changing.map(({ name }) => name).sort()).toEqual([...NAMES, ...ofUploads].sort());
  const { paths } = openApiDocument();
  const withKey = Object.values(paths)
    .flatMap((methods) => Object.values(methods) as { operationId: string; parameters: unknown }[])
    .filter(({ parameters }) => JSON.stringify(parameters).includes("Idempotency-Key"));
  expect(withKey.map(({ operationId }) => operationId).sort()).toEqual([...NAMES].sort());
});

describe.each(NAMES)("%s", (name) => {
  it("happens once, and returns the same response even after a restart", async () => {
    const first = await send(name);
    expect([200, 201, 204]).toContain(first.status);
    expect(effects()).toBe(1);
    expect(await send(name)).toEqual(replayed(first));
    await restart();
    expect(await send(name)).toEqual(replayed(first));
    expect(effects()).toBe(1);
  });

  it("changes nothing if its response can't be recorded, and happens once when it is retried", async () => {
    const before = state();
    sqliteHandle().exec(
      "CREATE TRIGGER broken BEFORE INSERT ON api_answers BEGIN SELECT RAISE(ABORT, 'killed'); END",
    );
    expect((await send(name)).status).toBe(500);
    expect(vi.mocked(console.error)).toHaveBeenCalled();
    vi.mocked(console.error).mockClear();
    expect(state()).toEqual(before);
    sqliteHandle().exec("DROP TRIGGER broken");
    expect([200, 201, 204]).toContain((await send(name)).status);
    expect(effects()).toBe(1);
  });

  it("changes nothing while another process is writing, and happens once when it is retried", async () => {
    const before = state();
    disableBusyTimeout();
    const other = openSqlite(sqliteHandle().name);
    other.exec("BEGIN IMMEDIATE");
    expect((await send(name)).status).toBe(503);
    other.close();
    expect(state()).toEqual(before);
    expect([200, 201, 204]).toContain((await send(name)).status);
    expect(effects()).toBe(1);
  });

  it("happens once when it is sent twice at the same time", async () => {
    const [first, second] = await Promise.all([send(name), send(name)]);
    expect([200, 201, 204]).toContain(first.status);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(effects()).toBe(1);
  });

  it("is rejected if it uses another request's key, unless that request was sent with a different token", async () => {
    const other = NAMES.find((each) => each !== name && each !== "deleteVideo")!;
    expect([200, 201]).toContain((await send(other)).status);
    const before = state();
    expect((await send(name)).status).toBe(422);
    expect(state()).toEqual(before);
    expect([200, 201, 204]).toContain((await send(name, "key", await tokenOf(user))).status);
  });
});

describe("creating a video that was deleted afterward", () => {
  it("still returns the recorded response for the same key, and reports the deletion for another key", async () => {
    const first = await send("createVideo");
    sqliteHandle().exec("DELETE FROM videos WHERE id <> 'v'");
    expect(await send("createVideo")).toEqual(replayed(first));
    const again = await send("createVideo", "another-key");
    expect([again.status, JSON.parse(again.body).detail]).toEqual([
      409,
      "The video of this upload was deleted.",
    ]);
  });
});
