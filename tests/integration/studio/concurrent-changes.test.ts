import fs from "node:fs";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createToken } from "~/features/accounts/tokens/tokens.server";
import { action as actOnApi } from "~/features/api/routes/api";
import { changeVideos } from "~/features/library/bulk/bulk.server";
import { toggleVideo } from "~/features/library/change-visibility.server";
import { findEditable } from "~/features/library/list/managed-list.server";
import { action as actOnPanel } from "~/features/library/routes/admin";
import { action as actOnReview } from "~/features/library/routes/review";
import { openSession } from "~/features/permissions/session.server";
import { removeFiles } from "~/media/files/removals.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { disableBusyTimeout, openSqlite, sqliteHandle, transaction } from "~db/client.server";
import { addVideo, useAdminSite, video, writeUpload } from "../../admin-requests";
import { filesBelow } from "../../encode-library";
import { makeClip } from "../../media-clips";

const site = useAdminSite();
const ORIGIN = "http://localhost";
const URL_ENCODED = "application/x-www-form-urlencoded";
let cookie = "";

beforeEach(async () => {
  sqliteHandle().exec(
    "INSERT INTO users (id, email, password_hash, role) VALUES ('up', 'up@b.c', 'x', 'uploader')",
  );
  cookie = (await openSession("up")).split(";")[0] ?? "";
  writeUpload(site.uploads, "videos/up/1.mp4");
  addVideo({ status: "review", uploaded_by: "up", video_url: "/media/videos/up/1.mp4" });
});

/**
 * Creates a request whose body arrives when `finish()` is called. `isRead` resolves once the server is waiting for the
 * body.
 */
function slowRequest(url: string, body: Uint8Array, headers: Record<string, string>) {
  let finish = () => {};
  let begin = () => {};
  const isRead = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        begin();
        return new Promise<void>((resolve) => {
          finish = () => {
            controller.enqueue(body);
            controller.close();
            resolve();
          };
        });
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request(ORIGIN + url, {
    method: "POST",
    headers: { Origin: ORIGIN, Host: "localhost", ...headers },
    body: stream,
    duplex: "half",
  } as RequestInit);
  return { request, isRead, finish: () => finish() };
}

interface Sent {
  /** The status code of the response. */
  status: Promise<number>;
  isRead: Promise<void>;
  finish(): void;
}

function sendSlowly(
  act: (request: Request) => unknown,
  url: string,
  body: Uint8Array,
  headers: Record<string, string>,
): Sent {
  const { request, isRead, finish } = slowRequest(url, body, headers);
  const status = (async () => act(request))()
    .catch((thrown: unknown) => thrown)
    .then((response) => {
      if (response instanceof Error) throw response;
      return (response as { init?: ResponseInit }).init?.status ?? (response as Response).status;
    });
  return { status, isRead, finish };
}

const bytesOf = (fields: Record<string, string>) =>
  new TextEncoder().encode(new URLSearchParams(fields).toString());

/** Submits an admin panel form as the uploader. */
function sendForm(fields: Record<string, string>): Sent {
  return sendSlowly(
    (request) => actOnPanel({ request, params: {}, context: {} }),
    "/admin?tab=manage",
    bytesOf(fields),
    { Cookie: cookie, "Content-Type": URL_ENCODED },
  );
}

/** Submits an admin panel form that includes a file. */
async function sendFile(
  fields: Record<string, string>,
  field: "video" | "captions",
  file: { name: string; bytes: Uint8Array<ArrayBuffer> },
): Promise<Sent> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set(field, new Blob([file.bytes]), file.name);
  const encoded = new Response(form);
  const type = encoded.headers.get("Content-Type") ?? "";
  return sendSlowly(
    (request) => actOnPanel({ request, params: {}, context: {} }),
    "/admin?tab=manage&replace=v",
    new Uint8Array(await encoded.arrayBuffer()),
    { Cookie: cookie, "Content-Type": type },
  );
}

/**
 * Lets a request pass its first check, writes another user's change, and then lets the request continue. A lock held by
 * another connection blocks the request when it starts its transaction.
 */
async function statusAfterChange(sent: Sent, change: () => Promise<unknown>): Promise<number> {
  await sent.isRead;
  disableBusyTimeout();
  const other = openSqlite(sqliteHandle().name);
  other.exec("BEGIN IMMEDIATE");
  const transactions = vi.spyOn(sqliteHandle(), "transaction");
  let changed: Promise<unknown> | undefined;
  try {
    sent.finish();
    await vi.waitFor(() => expect(transactions).toHaveBeenCalled(), { timeout: 20_000 });
  } finally {
    other.close();
    // The change is committed before the request retries.
    changed = change();
    transactions.mockRestore();
  }
  await changed;
  return sent.status;
}

const publish = () => toggleVideo({ id: "v", expectedStatus: "review" }, "u");
const runAsTransaction = (sql: string) => () =>
  transaction(() => {
    sqliteHandle().exec(sql);
  });
const deactivate = runAsTransaction(
  "UPDATE users SET deactivated_at = '2026-01-01T00:00:00.000Z' WHERE id = 'up'",
);
const demote = runAsTransaction("UPDATE users SET may_publish = 0 WHERE id = 'up'");

const FORMS = {
  "an edit": { intent: "update", title: "Changed" },
  "a deletion": { intent: "delete" },
  "a bulk change": { intent: "bulk", do: "add-tags", tags: "new", selected: "v" },
  "a bulk deletion": { intent: "bulk", do: "delete", selected: "v", confirmed: "1" },
} as const;

/** Returns the state of the video and its files, except for the columns that publishing changes. */
function stateOf() {
  const { ...row } = video();
  for (const column of ["status", "publish_at", "public", "listed"]) delete row[column];
  const files = sqliteHandle().prepare("SELECT * FROM video_files").all();
  return { row, files };
}

describe("a drafts-only uploader's request after an editor has published the video", () => {
  it.each(Object.entries(FORMS))("is rejected: %s", async (_, fields) => {
    const before = stateOf();
    expect(await statusAfterChange(sendForm({ id: "v", ...fields }), publish)).toBe(403);
    expect(video()?.status).toBe("published");
    expect(stateOf()).toEqual(before);
  });

  it("is rejected: an edit with captions, whose file is removed", async () => {
    const bytes = new TextEncoder().encode("WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n");
    const fields = { intent: "update", id: "v", title: "Changed", captionsLanguage: "en" };
    const sent = await sendFile(fields, "captions", { name: "captions.vtt", bytes });
    const before = stateOf();
    expect(await statusAfterChange(sent, publish)).toBe(403);
    expect(stateOf()).toEqual(before);
    await removeFiles();
    expect(filesBelow(`${site.uploads}/videos`)).toEqual(["up/1.mp4"]);
  });

  it("is rejected: switching to a pending file", async () => {
    writeUpload(site.uploads, "videos/up/2.mp4");
    sqliteHandle().exec(
      `INSERT INTO video_files (id, video_id, state, user_id, video_url)
       VALUES ('n', 'v', 'pending', 'up', '/media/videos/up/2.mp4')`,
    );
    const before = stateOf();
    const sent = sendForm({ intent: "use-file", id: "v", file: "n" });
    expect(await statusAfterChange(sent, publish)).toBe(403);
    expect(stateOf()).toEqual(before);
  });

  it.runIf(ffmpegAvailable())(
    "is rejected: replacing the file, or trimming",
    async () => {
      const source = makeClip(site.folder, "video", {
        seconds: 2,
        size: "160x90",
        frameRate: "10",
      });
      fs.copyFileSync(source, `${site.uploads}/videos/up/1.mp4`);
      const before = stateOf();
      const trim = sendForm({ intent: "trim", id: "v", start: "0:00", end: "0:01" });
      expect(await statusAfterChange(trim, publish)).toBe(403);
      expect(stateOf()).toEqual(before);
      sqliteHandle().exec("UPDATE videos SET status = 'review'");
      const bytes = new Uint8Array(fs.readFileSync(source));
      const sent = { name: "video.mp4", bytes };
      const replace = await sendFile({ intent: "replace", id: "v" }, "video", sent);
      expect(await statusAfterChange(replace, publish)).toBe(403);
      expect(stateOf()).toEqual(before);
      await removeFiles();
      expect(fs.readdirSync(`${site.uploads}/videos/up`)).toEqual(["1.mp4"]);
    },
    60_000,
  );

  it("is rejected: creating a preview link", async () => {
    const sent = sendSlowly(
      (request) => actOnReview({ request, params: { id: "v" }, context: {} }),
      "/admin/review/v",
      bytesOf({ intent: "link" }),
      { Cookie: cookie, "Content-Type": URL_ENCODED },
    );
    expect(await statusAfterChange(sent, publish)).toBe(403);
    expect(sqliteHandle().prepare("SELECT * FROM preview_links").all()).toEqual([]);
  });

  it("is rejected: an edit through the API", async () => {
    const form = new FormData();
    form.set("name", "a program");
    form.set("days", "7");
    form.append("scope", "edit");
    const token = await createToken(
      { id: "up", email: "up@b.c", role: "uploader", mayPublish: false },
      form,
    );
    const version = (await findEditable("v"))?.version;
    const before = stateOf();
    for (const match of ["*", `"${version}"`]) {
      sqliteHandle().exec("UPDATE videos SET status = 'review'");
      const { request, isRead, finish } = slowRequest(
        "/api/v1/videos/v",
        new TextEncoder().encode('{"title":"Changed"}'),
        {
          "Content-Type": "application/json",
          Authorization: `Bearer ${token}`,
          "If-Match": match,
        },
      );
      const patch = new Request(request, { method: "PATCH", duplex: "half" } as RequestInit);
      const args = { request: patch, params: { "*": "videos/v" }, context: {} };
      const status = actOnApi(args).then((response) => (response as Response).status);
      expect(await statusAfterChange({ status, isRead, finish }, publish)).toBe(403);
      expect(stateOf()).toEqual(before);
    }
  });
});

describe("a request from an account that is restricted in the meantime", () => {
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const PUBLISHERS = {
    ...FORMS,
    "a schedule": { intent: "schedule", publishAt: inAnHour },
    "a publication": { intent: "toggle", expectedStatus: "review" },
    "a bulk publication": { intent: "bulk", do: "publish", selected: "v" },
  };
  beforeEach(() => sqliteHandle().exec("UPDATE users SET may_publish = 1 WHERE id = 'up'"));

  it.each(Object.entries(PUBLISHERS))("is rejected after deactivation: %s", async (_, fields) => {
    const before = video();
    expect(await statusAfterChange(sendForm({ id: "v", ...fields }), deactivate)).toBe(403);
    expect(video()).toEqual(before);
  });

  it.each(Object.entries(PUBLISHERS).slice(-3))(
    "is rejected after losing the right to publish: %s",
    async (_, fields) => {
      const before = video();
      expect(await statusAfterChange(sendForm({ id: "v", ...fields }), demote)).toBe(403);
      expect(video()).toEqual(before);
    },
  );

  it("doesn't change other users' videos if the account's role was changed from editor to uploader", async () => {
    sqliteHandle().exec(
      `INSERT INTO users (id, email, password_hash, role, may_publish)
       VALUES ('ed', 'ed@b.c', 'x', 'uploader', 1)`,
    );
    addVideo({ id: "own", uploaded_by: "ed" });
    const tagged = await changeVideos({ action: "add-tags", tags: ["new"] }, ["own", "v"], "ed");
    expect(tagged).toMatchObject({ done: 1 });
    expect([video("own")?.tags, video("v")?.tags]).toEqual(['["new"]', null]);
    const deleted = await changeVideos({ action: "delete" }, ["own", "v"], "ed");
    expect(deleted).toEqual({ code: "not-allowed" });
    expect([video("own")?.id, video("v")?.id]).toEqual(["own", "v"]);
  });

  it("is rejected if the account was restricted while the form was arriving", async () => {
    sqliteHandle().exec("UPDATE users SET role = 'editor' WHERE id = 'up'");
    addVideo({ id: "other", title: "Another's", status: "published", uploaded_by: "u" });
    const before = video("other");
    const sent = sendForm({ intent: "update", id: "other", title: "Changed" });
    await sent.isRead;
    sqliteHandle().exec("UPDATE users SET role = 'uploader', may_publish = 0 WHERE id = 'up'");
    sent.finish();
    expect(await sent.status).toBe(404);
    expect(video("other")).toEqual(before);
  });
});
