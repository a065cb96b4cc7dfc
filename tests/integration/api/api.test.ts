import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createToken, listTokens, revokeToken } from "~/features/accounts/tokens/tokens.server";
import { openApiDocument } from "~/features/api/openapi.server";
import { OPERATIONS } from "~/features/api/operations.server";
import { action, loader } from "~/features/api/routes/api";
import * as schemas from "~/features/api/schemas";
import { findEditable } from "~/features/library/list/managed-list.server";
import { openSession } from "~/features/permissions/session.server";
import { sqliteHandle } from "~db/client.server";
import { insertUser, ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
let owner: ReturnType<typeof insertUser>;
beforeEach(() => {
  site = useTemporarySite();
  owner = insertUser();
});
afterEach(() => site.remove());

async function tokenOf(user: { id: string; email: string }, ...scopes: string[]): Promise<string> {
  const form = new FormData();
  form.set("name", "a program");
  form.set("days", "7");
  for (const scope of scopes) form.append("scope", scope);
  return createToken({ ...user, role: "owner", mayPublish: true }, form);
}

interface Sent {
  method?: string;
  token?: string;
  json?: unknown;
  headers?: Record<string, string>;
}

async function call(path: string, { method = "GET", token, json, headers = {} }: Sent = {}) {
  const request = new Request(`${ORIGIN}/api/v1/${path}`, {
    method,
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    body: json === undefined ? undefined : JSON.stringify(json),
  });
  const handler = method === "GET" || method === "HEAD" ? loader : action;
  const params = { "*": path.split("?")[0] };
  const response = (await handler({ request, params, context: {} } as never)) as Response;
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
}

function addVideo(values: { title?: string; status?: string; uploaded_by?: string } = {}): string {
  const { title = "Evening", status = "published", uploaded_by = null } = values;
  return sqliteHandle()
    .prepare(
      `INSERT INTO videos (title, category, status, uploaded_by, video_url, created_at)
       VALUES (?, 'desi', ?, ?, '/media/videos/u/1.mp4', '2026-01-01T00:00:00.000Z') RETURNING id`,
    )
    .pluck()
    .get(title, status, uploaded_by) as string;
}

const ALL = ["read", "upload", "edit", "publish", "delete"];

describe("API authentication", () => {
  it("requires a token, and doesn't accept a session instead", async () => {
    const cookie = (await openSession(owner.id)).split(";")[0]!;
    const none: Record<string, string>[] = [
      {},
      { Cookie: cookie },
      { Authorization: "Basic YTpi" },
    ];
    for (const headers of none) {
      const { status, headers: sent, body } = await call("videos", { headers });
      expect(status).toBe(401);
      expect(sent.get("WWW-Authenticate")).toMatch(/^Bearer/);
      expect(sent.get("Content-Type")).toBe("application/problem+json");
      expect(sent.get("Cache-Control")).toBe("no-store");
      expect(schemas.problem.parse(body).title).toBe("Unauthorized");
    }
  });

  it("rejects moderators, even with a token that they created in an earlier role", async () => {
    const user = insertUser("moderator@example.com", "editor");
    const token = await tokenOf(user, ...ALL);
    const id = addVideo();
    expect((await call("videos", { token })).status).toBe(200);
    sqliteHandle().prepare("UPDATE users SET role = 'moderator' WHERE id = ?").run(user.id);
    for (const path of ["videos", `videos/${id}`, "queue", "statistics", "terms"]) {
      expect((await call(path, { token })).status, path).toBe(403);
    }
    const hidden = await call(`videos/${id}/hide`, { method: "POST", token });
    expect(hidden.status).toBe(403);
    expect((await findEditable(id))?.status).toBe("published");
  });

  it("rejects wrong, expired and revoked tokens, and deactivated users", async () => {
    const token = await tokenOf(owner, "read");
    expect((await call("videos", { token })).status).toBe(200);
    expect((await call("videos", { token: `${token}x` })).status).toBe(401);
    const past = "2020-01-01T00:00:00.000Z";
    sqliteHandle().prepare("UPDATE users SET deactivated_at = ?").run(past);
    expect((await call("videos", { token })).status).toBe(401);
    sqliteHandle().prepare("UPDATE users SET deactivated_at = NULL").run();
    sqliteHandle().prepare("UPDATE api_tokens SET expires_at = ?").run(past);
    expect((await call("videos", { token })).status).toBe(401);
    const other = await tokenOf(owner, "read");
    const [newest] = await listTokens(owner.id);
    expect(await revokeToken(insertUser("b@example.com").id, newest!.id)).toBe(false);
    expect((await call("videos", { token: other })).status).toBe(200);
    expect(await revokeToken(owner.id, newest!.id)).toBe(true);
    expect((await call("videos", { token: other })).status).toBe(401);
  });

  it("rate-limits clients after sixty wrong tokens", async () => {
    const statuses = [];
    for (let index = 0; index < 61; index++)
      statuses.push((await call("videos", { token: "afterdark_wrong" })).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    const right = await tokenOf(owner, "read");
    expect((await call("videos", { token: right })).status).toBe(200);
  });

  it("doesn't store tokens in plain text, and shows when each one was last used", async () => {
    const token = await tokenOf(owner, "read");
    const rows = sqliteHandle().prepare("SELECT * FROM api_tokens").all();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect((await listTokens(owner.id))[0]?.lastUsedAt).toBeNull();
    await call("videos", { token });
    expect((await listTokens(owner.id))[0]?.lastUsedAt).toMatch(/Z$/);
  });

  it.each(OPERATIONS.map(({ name, scope, method, path }) => ({ name, scope, method, path })))(
    "requires the $scope scope for $name",
    async ({ scope, method, path }) => {
      const token = await tokenOf(owner, ...ALL.filter((each) => each !== scope));
      const { status, headers, body } = await call(path.slice(1).replace("{id}", "x"), {
        ...{ method, token },
        ...(method !== "GET" && method !== "HEAD" && { json: {} }),
      });
      expect(status).toBe(403);
      expect(headers.get("WWW-Authenticate")).toContain(`scope="${scope}"`);
      if (method !== "HEAD") expect(body.detail).toContain(scope);
    },
  );

  it("shows uploaders only their own drafts", async () => {
    const uploader = insertUser("uploader@example.com");
    sqliteHandle().prepare("UPDATE users SET role = 'uploader' WHERE id = ?").run(uploader.id);
    const own = addVideo({ title: "Own", status: "review", uploaded_by: uploader.id });
    const other = addVideo({ title: "Other", uploaded_by: owner.id });
    const token = await tokenOf(uploader, ...ALL);
    const { body } = await call("videos", { token });
    expect(body.videos.map(({ id }: { id: string }) => id)).toEqual([own]);
    expect((await call(`videos/${other}`, { token })).status).toBe(404);
    const change = { method: "PATCH", token, headers: { "If-Match": "*" }, json: { title: "New" } };
    expect((await call(`videos/${other}`, change)).status).toBe(404);
    expect((await call(`videos/${own}`, change)).status).toBe(200);
    expect((await call(`videos/${own}/publish`, { method: "POST", token })).status).toBe(403);
    expect((await call("queue", { token })).status).toBe(403);
    expect((await call(`videos/${other}`, { method: "DELETE", token })).status).toBe(404);
    expect((await findEditable(other))?.title).toBe("Other");
  });
});

describe("videos", () => {
  it("can be filtered by status, search text and category, while unknown parameters are rejected", async () => {
    const token = await tokenOf(owner, "read");
    for (let index = 0; index < 51; index++) addVideo({ title: `Video ${index}` });
    const hidden = addVideo({ title: "Hidden", status: "hidden" });
    const first = schemas.videoPage.parse((await call("videos", { token })).body);
    expect([first.videos.length, first.pages, first.total]).toEqual([50, 2, 52]);
    const third = await call("videos?page=3", { token });
    expect(third.body).toMatchObject({ page: 3, pages: 2, videos: [] });
    const found = await call("videos?status=hidden&category=desi&search=hid", { token });
    expect(found.body.videos.map(({ id }: { id: string }) => id)).toEqual([hidden]);
    const other = insertUser("other@example.com");
    const old = addVideo({ title: "Old", uploaded_by: other.id });
    sqliteHandle()
      .prepare("UPDATE videos SET created_at = '2025-01-31T12:00:00.000Z' WHERE id = ?")
      .run(old);
    for (const query of [
      "to=2025-01-31&size=20",
      `uploader=${other.id}`,
      "to=2025-02-01&no-thumbnail=1",
    ]) {
      const { body } = await call(`videos?${query}`, { token });
      expect(
        body.videos.map(({ id }: { id: string }) => id),
        query,
      ).toEqual([old]);
    }
    expect((await call("videos?size=100", { token })).body.videos).toHaveLength(53);
    for (const query of ["scheduled=1", "similar=1", "failed=1", "missing=1", "from=2100-01-01"]) {
      expect((await call(`videos?${query}`, { token })).body, query).toMatchObject({ total: 0 });
    }
    for (const query of [
      "size=7",
      "from=2025-02-30",
      "failed=yes",
      "page=0",
      "page=x",
      "status=none",
      "sort=best",
      "unknown=1",
    ]) {
      expect((await call(`videos?${query}`, { token })).status, query).toBe(422);
    }
  });

  it("are returned with an ETag, so that requests for unchanged videos return 304", async () => {
    const token = await tokenOf(owner, "read");
    const id = addVideo();
    const { status, headers, body } = await call(`videos/${id}`, { token });
    expect(status).toBe(200);
    expect(schemas.video.parse(body)).toMatchObject({ id, title: "Evening", tags: [] });
    const etag = headers.get("ETag")!;
    const again = await call(`videos/${id}`, { token, headers: { "If-None-Match": etag } });
    expect([again.status, again.body, again.headers.get("ETag")]).toEqual([304, "", etag]);
    expect((await call("videos/none", { token })).status).toBe(404);
  });

  it("are only changed if they haven't changed since the client read them", async () => {
    const token = await tokenOf(owner, "read", "edit");
    const id = addVideo();
    const etag = (await call(`videos/${id}`, { token })).headers.get("ETag")!;
    const change = (json: unknown, headers = {}) =>
      call(`videos/${id}`, { method: "PATCH", token, json, headers });
    expect((await change({ title: "New" })).status).toBe(428);
    const changed = await change({ title: "New", tags: ["a", "b"] }, { "If-Match": etag });
    expect(changed.body).toMatchObject({ title: "New", tags: ["a", "b"], category: "desi" });
    expect(changed.headers.get("ETag")).not.toBe(etag);
    const late = await change({ title: "Late" }, { "If-Match": etag });
    expect([late.status, late.body.title]).toEqual([412, "Precondition Failed"]);
    expect((await change({ title: "Over" }, { "If-Match": "*" })).status).toBe(200);
    // Also test a weak ETag, which proxies send if they compress responses, and a list of ETags.
    const weak = async () => `W/${(await call(`videos/${id}`, { token })).headers.get("ETag")}`;
    for (const list of [await weak(), `"none", ${await weak()}`]) {
      expect((await change({ title: "Over" }, { "If-Match": list })).status, list).toBe(200);
    }
    for (const wrong of ["5", '"a" "b"', 'w/"a"', ","]) {
      expect((await change({ title: "Never" }, { "If-Match": wrong })).status, wrong).toBe(400);
    }
    expect((await change({ title: "Never" }, { "If-Match": '"a", W/"b"' })).status).toBe(412);
    const wrong = await change({ title: " ", duration: "x" }, { "If-Match": "*" });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors.map(({ field }: { field: string }) => field)).toEqual(
      expect.arrayContaining(["title", "duration"]),
    );
    for (const json of [{ status: "published" }, { tags: ["a,b"] }, { title: 1 }, [], "x"]) {
      expect((await change(json, { "If-Match": "*" })).status).toBe(422);
    }
    expect((await findEditable(id))?.title).toBe("Over");
  });

  it("keep values that other tools have stored if an update omits them", async () => {
    const token = await tokenOf(owner, "read", "edit");
    const kept = { category: "unknown", duration: "long", tags: '["A","a"]' };
    const id = addVideo();
    sqliteHandle()
      .prepare(
        `UPDATE videos SET category = @category, duration = @duration, tags = @tags,
           description = @description WHERE id = @id`,
      )
      .run({ ...kept, description: "x".repeat(20_000), id });
    const change = (json: unknown) =>
      call(`videos/${id}`, { method: "PATCH", token, json, headers: { "If-Match": "*" } });
    expect((await change({ title: "New" })).status).toBe(200);
    const row = "SELECT title, category, duration, tags, length(description) AS length FROM videos";
    expect(sqliteHandle().prepare(`${row} WHERE id = ?`).get(id)).toEqual({
      ...{ title: "New", length: 20_000 },
      ...kept,
    });
    expect((await change({ duration: "long" })).status).toBe(422);
  });

  it("can be published, hidden, scheduled and deleted", async () => {
    const token = await tokenOf(owner, ...ALL);
    const id = addVideo({ status: "review" });
    const post = (what: string) => call(`videos/${id}/${what}`, { method: "POST", token });
    for (const [what, status] of [
      ["publish", "published"],
      ["publish", "published"],
      ["hide", "hidden"],
      ["hide", "hidden"],
    ]) {
      const response = await post(what!);
      expect([response.status, response.body.status]).toEqual([200, status]);
    }
    const put = (json: unknown) => call(`videos/${id}/schedule`, { method: "PUT", token, json });
    const publishAt = new Date(Date.now() + 86_400_000).toISOString();
    expect((await put({ publishAt, unpublishAt: null })).body).toMatchObject({ publishAt });
    const past = await put({ publishAt: "2020-01-01T00:00:00Z", unpublishAt: null });
    expect([past.status, past.body.errors[0].field]).toEqual([422, "publishAt"]);
    expect((await call(`videos/${id}`, { method: "DELETE", token })).status).toBe(204);
    expect((await call(`videos/${id}`, { method: "DELETE", token })).status).toBe(404);
    expect((await post("publish")).status).toBe(404);
    expect(sqliteHandle().prepare("SELECT count(*) FROM deleted_videos").pluck().get()).toBe(1);
  });
});

describe("API requests", () => {
  it("are performed only once per Idempotency-Key", async () => {
    const token = await tokenOf(owner, ...ALL);
    const id = addVideo({ status: "review" });
    const headers = { "Idempotency-Key": "one" };
    const publish = () => call(`videos/${id}/publish`, { method: "POST", token, headers });
    const first = await publish();
    expect(first.headers.get("Idempotent-Replayed")).toBeNull();
    await call(`videos/${id}/hide`, { method: "POST", token });
    const again = await publish();
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect((await findEditable(id))?.status).toBe("hidden");
    const other = await call(`videos/${id}/hide`, { method: "POST", token, headers });
    expect(other.status).toBe(422);
    const odd = await call(`videos/${id}/hide`, {
      ...{ method: "POST", token },
      headers: { "Idempotency-Key": "a b" },
    });
    expect(odd.status).toBe(400);
    sqliteHandle().prepare("UPDATE api_answers SET created_at = '2020-01-01T00:00:00.000Z'").run();
    expect((await publish()).body.status).toBe("published");
  });

  it("are performed again with the same key if the first attempt failed", async () => {
    const token = await tokenOf(owner, ...ALL);
    const headers = { "Idempotency-Key": "two" };
    const sent = { method: "POST", token, headers };
    expect((await call("videos/none/publish", sent)).status).toBe(404);
    const id = addVideo({ status: "review" });
    expect((await call(`videos/${id}/hide`, sent)).status).toBe(200);
  });

  it("return a specific error for each problem", async () => {
    const token = await tokenOf(owner, ...ALL);
    const post = (headers: Record<string, string>, body: string) =>
      action({
        request: new Request(`${ORIGIN}/api/v1/videos`, {
          method: "POST",
          headers: { Authorization: `Bearer ${token}`, ...headers },
          body,
        }),
        params: { "*": "videos" },
        context: {},
      } as never);
    const json = { "Content-Type": "application/json" };
    expect((await post({}, "{}")).status).toBe(415);
    expect((await post(json, "{")).status).toBe(400);
    expect((await post(json, `"${"x".repeat(300_000)}"`)).status).toBe(413);
    expect((await call("nothing", { token })).status).toBe(404);
    const put = await call("videos", { method: "PUT", token, json: {} });
    expect([put.status, put.headers.get("Allow")]).toEqual([405, "GET, POST"]);
  });

  it("don't create a video without its upload or without the scope to publish", async () => {
    const texts = { title: "A", description: "B", category: "desi", tags: [] };
    const token = await tokenOf(owner, "upload");
    const create = (json: unknown) => call("videos", { method: "POST", token, json });
    const none = await create({ ...texts, upload: `${owner.id}-0123` });
    expect([none.status, none.body.detail]).toEqual([404, expect.stringContaining("not exist")]);
    expect((await create({ ...texts, upload: "x", status: "published" })).status).toBe(403);
    expect((await create({ ...texts, upload: "x", category: "none" })).status).toBe(422);
    expect(sqliteHandle().prepare("SELECT count(*) FROM videos").pluck().get()).toBe(0);
  });
});

describe("the OpenAPI document", () => {
  it("contains every operation with its scope", () => {
    const { paths, openapi } = openApiDocument();
    expect(openapi).toBe("3.1.0");
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(
      OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    expect(JSON.stringify(paths)).toContain('"operationId":"createVideo"');
    expect(JSON.stringify(paths)).not.toContain("$schema");
  });

  it("is public", async () => {
    const { status, body } = await call("openapi.json");
    expect([status, body.servers[0].url]).toEqual([200, "/api/v1"]);
  });

  it("is generated only once, and isn't sent again to clients that already have it", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const first = await call("openapi.json");
      vi.setSystemTime(Date.now() + 3_600_000);
      const second = await call("openapi.json", { headers: { Host: "other.example" } });
      const validators = (name: string) => [first.headers.get(name), second.headers.get(name)];
      for (const name of ["ETag", "Last-Modified"]) {
        const [before, after] = validators(name);
        expect(before, name).toBeTruthy();
        expect(after, name).toBe(before);
      }
      const headers = { "If-None-Match": first.headers.get("ETag")! };
      const known = await call("openapi.json", { headers });
      expect([known.status, known.body]).toEqual([304, ""]);
      const other = await call("openapi.json", { headers: { "If-None-Match": '"another"' } });
      expect(other.body).toEqual(first.body);
    } finally {
      vi.useRealTimers();
    }
  });
});
