import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSession } from "~/features/permissions/session.server";
import { action, loader } from "~/features/processing/routes/workers";
import { isConnected } from "~/features/processing/workers/worker-list";
import { findWorker, listWorkers } from "~/features/processing/workers/workers.server";
import { listActivities } from "~/platform/activity/activity.server";
import { sqliteHandle } from "~db/client.server";
import { formRequest, insertUser, ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

const PATH = "/admin/workers";

let site: ReturnType<typeof useTemporarySite>;
let cookie = "";
beforeEach(async () => {
  site = useTemporarySite();
  cookie = await signIn(insertUser().id);
});
afterEach(() => site.remove());

async function signIn(id: string): Promise<string> {
  return (await openSession(id)).split(";")[0]!;
}

type Failure = { data?: { token?: string; message?: string }; init?: { status: number } };

/** Sends a form. Returns the status, and the token or the message. */
async function send(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const request = formRequest(PATH, fields, { Cookie: cookie, ...headers });
  const result = await Promise.resolve(action({ request, params: {}, context: {} } as never)).catch(
    (thrown: unknown) => thrown,
  );
  if (result instanceof Response) return { status: result.status };
  const { data, init } = result as Failure;
  const body = data ?? (result as { token?: string; message?: string });
  return { status: init?.status ?? 200, token: body.token, message: body.message };
}

async function visit(load: typeof loader, who = cookie) {
  const request = new Request(ORIGIN + PATH, { headers: { Cookie: who } });
  return Promise.resolve(load({ request, params: {}, context: {} } as never)).catch(
    (thrown: unknown) => thrown,
  );
}

describe("the workers page", () => {
  it("creates a worker, whose token is shown only once and stored as a hash", async () => {
    const { status, token } = await send({ intent: "create", name: " attic " });
    expect([status, token]).toEqual([200, expect.stringMatching(/^afterdark_worker_[\w-]{43}$/)]);
    expect(findWorker(token!)).toMatchObject({ name: "attic" });
    const page = JSON.stringify(await visit(loader));
    expect(page).toContain("attic");
    expect(page).not.toContain(token);
    const kept = JSON.stringify(sqliteHandle().prepare("SELECT * FROM workers").all());
    expect(kept).not.toContain(token!.replace("afterdark_worker_", ""));
    expect(await listActivities()).toMatchObject([{ action: "worker-create", detail: "attic" }]);
  });

  it("rejects a name that is missing, too long or already in use, and allows at most 50 workers", async () => {
    expect(await send({ intent: "create", name: " " })).toMatchObject({ status: 422 });
    expect(await send({ intent: "create", name: "x".repeat(61) })).toMatchObject({ status: 422 });
    for (let number = 1; number <= 50; number++) {
      expect(await send({ intent: "create", name: `worker ${number}` })).toMatchObject({
        status: 200,
      });
    }
    expect(await send({ intent: "create", name: "worker 1" })).toMatchObject({
      ...{ status: 409, message: "There is already a worker with this name." },
    });
    expect(await send({ intent: "create", name: "one more" })).toMatchObject({
      ...{
        status: 409,
        message: "You can have at most 50 workers. Revoke one that you don’t use.",
      },
    });
  });

  it("revokes a worker, which makes its token invalid", async () => {
    const { token } = await send({ intent: "create", name: "attic" });
    const [{ id } = { id: 0 }] = await listWorkers();
    expect(await send({ intent: "revoke", id: String(id) })).toEqual({ status: 302 });
    expect(findWorker(token!)).toBeUndefined();
    expect(await send({ intent: "revoke", id: String(id) })).toMatchObject({ status: 404 });
    expect((await listActivities())[0]).toMatchObject({ action: "worker-revoke", detail: "attic" });
  });

  it("rejects forms from other sites, forms from editors, and forms without an intent", async () => {
    const create = { intent: "create", name: "attic" };
    expect(await send(create, { Origin: "https://elsewhere.example" })).toEqual({ status: 403 });
    expect(await send({ name: "attic" })).toMatchObject({ status: 400 });
    const editor = insertUser("editor@example.com");
    sqliteHandle().prepare("UPDATE users SET role = 'editor' WHERE id = ?").run(editor.id);
    cookie = await signIn(editor.id);
    expect(await send(create)).toEqual({ status: 403 });
    expect(await visit(loader)).toMatchObject({ status: 403 });
    expect(await listWorkers()).toEqual([]);
  });

  it("shows when a worker was last seen", async () => {
    const { token } = await send({ intent: "create", name: "attic" });
    const [before] = await listWorkers();
    expect(before).toMatchObject({ lastSeenAt: null, jobsDone: 0, jobs: [] });
    expect(isConnected(before!, Date.now())).toBe(false);
    const now = Date.parse("2026-11-23T10:00:00.000Z");
    findWorker(token!, now);
    const [worker] = await listWorkers();
    expect(worker?.lastSeenAt).toBe("2026-11-23T10:00:00.000Z");
    expect(isConnected(worker!, now + 50_000)).toBe(true);
    expect(isConnected(worker!, now + 61_000)).toBe(false);
    // Workers send a request every few seconds, but not every request is recorded.
    findWorker(token!, now + 5_000);
    expect((await listWorkers())[0]?.lastSeenAt).toBe("2026-11-23T10:00:00.000Z");
  });
});
