import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import bcrypt from "bcryptjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allows, PERMISSIONS, type Permission, reachOf } from "~/features/permissions/permissions";
import { signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";

/** Requests every route of the built site as every role, and checks the results against the permissions table. */

const SERVER = fileURLToPath(new URL("../../../build/server/index.js", import.meta.url));
const PASSWORD = "correct horse battery";

interface BuiltRoute {
  id: string;
  path?: string;
  index?: boolean;
  hasLoader: boolean;
  hasAction: boolean;
}

/** Returns the server's route table from the build. The browser's route table lacks routes without a page. */
function builtRoutes(): (BuiltRoute & { url: string })[] {
  const [, table] = /^const serverManifest = (.*);$/m.exec(fs.readFileSync(SERVER, "utf8"))!;
  // The route table is a JavaScript object literal, not JSON: some values are `void 0`.
  const { routes } = runInNewContext(`(${table})`) as { routes: Record<string, BuiltRoute> };
  return Object.values(routes)
    .filter(({ id }) => id !== "root")
    .map((route) => ({ ...route, url: `/${route.path ?? ""}` }));
}

const EVERYBODY = {
  owner: { role: "owner", mayPublish: true },
  editor: { role: "editor", mayPublish: true },
  moderator: { role: "moderator", mayPublish: false },
  uploader: { role: "uploader", mayPublish: false },
  publisher: { role: "uploader", mayPublish: true },
  deactivated: undefined,
  visitor: undefined,
} as const;
type Name = keyof typeof EVERYBODY;
const NAMES = Object.keys(EVERYBODY) as Name[];

/** Routes for API clients. Session cookies don't give access to them. */
const APIS = ["/api/v1/*", "/api/worker/*"];

const site = new SiteProcess();
const cookies = {} as Record<Name, string>;

beforeAll(async () => {
  await site.start();
  const add = site
    .database()
    .prepare(
      "INSERT INTO users (id, email, password_hash, role, may_publish) VALUES (?, ?, ?, ?, ?)",
    );
  const hash = bcrypt.hashSync(PASSWORD, 4);
  for (const name of NAMES) {
    if (name === "visitor") continue;
    const { role, mayPublish } = EVERYBODY[name] ?? EVERYBODY.owner;
    const email = `${name}@example.com`;
    add.run(name, email, hash, role, Number(role === "uploader" && mayPublish));
    cookies[name] = await signInTo(site, { email, password: PASSWORD });
  }
  site.database().exec("UPDATE users SET deactivated_at = '2026-01-01' WHERE id = 'deactivated'");
});
afterAll(() => site.remove());

/** Each test sends a few hundred requests. */
const WALK_TIMEOUT_MS = 120_000;

/** The outcome of a request: `open` if the response is normal, or otherwise how the request was rejected. */
type Verdict = "open" | "forbidden" | "sign in";

async function sendRequest(
  name: Name,
  method: string,
  url: string,
  body?: BodyInit,
): Promise<Verdict> {
  const response = await fetch(new URL(url, site.url), {
    method,
    redirect: "manual",
    headers: { Origin: site.url, ...(cookies[name] && { Cookie: cookies[name] }) },
    body,
  });
  const { status } = response;
  const text = status === 400 ? await response.text() : await response.body?.cancel();
  if (status === 403) return "forbidden";
  const isAway = status === 302 && response.headers.get("Location") === "/auth";
  const isSignedOut = text?.includes("You must be logged in to ");
  return isAway || isSignedOut || status === 401 ? "sign in" : "open";
}

/** Sends a request as each role, all in parallel. */
const askAll = (work: (name: Name) => Promise<void>) => Promise.all(NAMES.map(work));

function expected(name: Name, permission: Permission): Verdict {
  const who = EVERYBODY[name];
  if (!who) return "sign in";
  return allows(who, permission) ? "open" : "forbidden";
}

const urlOf = (path: string) => path.replace(/:\w+\??|\*/g, "none");

/** Returns the form for a permission, with the id of a video that doesn't exist. */
function formOf(line: string): BodyInit {
  const [, intent = "none", action = ""] = line.split(" ");
  const isUpload = intent === "publish" || intent === "draft";
  const form = isUpload ? new FormData() : new URLSearchParams();
  form.append("intent", intent);
  if (action) form.append("do", action);
  for (const field of ["id", "selected", "batch"]) form.append(field, "none");
  return form;
}

const routes = builtRoutes();
const lines = Object.entries(PERMISSIONS);
const guarded = lines.filter(([, line]) => line !== "anyone").map(([name]) => name as Permission);
/** Permissions that don't correspond to a form's intent. They are tested separately below. */
const PARTS = ["/media/* hidden", "/events jobs"];

describe("the built site", { timeout: WALK_TIMEOUT_MS }, () => {
  it("defines a permission for each route, and a route for each permission", () => {
    const urls = [...new Set(routes.map(({ url }) => url))].sort();
    expect(urls).toContain("/admin/users");
    expect([...new Set(lines.map(([line]) => line.split(" ")[0]!))].sort()).toEqual(urls);
    expect(urls.filter((url) => PERMISSIONS[url] === undefined)).toEqual([]);
  });

  it("returns each page only to the allowed roles", async () => {
    const found: Record<string, Verdict> = {};
    const wanted: Record<string, Verdict> = {};
    for (const { url, hasLoader } of routes) {
      if (!hasLoader || PERMISSIONS[url] === "anyone") continue;
      await askAll(async (name) => {
        found[`${name} ${url}`] = await sendRequest(name, "GET", urlOf(url));
        wanted[`${name} ${url}`] = expected(name, url as Permission);
      });
    }
    expect(Object.keys(found).length).toBeGreaterThan(50);
    expect(found).toEqual(wanted);
  });

  it("accepts each form only from the allowed roles", async () => {
    const found: Record<string, Verdict> = {};
    const wanted: Record<string, Verdict> = {};
    const withAction = new Set(routes.filter((r) => r.hasAction).map(({ url }) => url));
    for (const line of guarded) {
      const url = line.split(" ")[0]!;
      if (!withAction.has(url) || PARTS.includes(line)) continue;
      await askAll(async (name) => {
        // Without a session, the response is the page with the entered values.
        found[`${name} ${line}`] = await sendRequest(name, "POST", urlOf(url), formOf(line));
        wanted[`${name} ${line}`] = expected(name, line);
      });
    }
    expect(Object.keys(found).length).toBeGreaterThan(100);
    expect(found).toEqual(wanted);
  });

  it("lets everyone access public routes", async () => {
    const found: Record<string, Verdict> = {};
    for (const { url, hasLoader } of routes) {
      // Without a password, the route redirects to the sign-in page.
      if (!hasLoader || PERMISSIONS[url] !== "anyone" || url === "/auth/code") continue;
      if (APIS.includes(url)) continue;
      await askAll(async (name) => {
        found[`${name} ${url}`] = await sendRequest(name, "GET", urlOf(url));
      });
    }
    expect(Object.entries(found).filter(([, verdict]) => verdict !== "open")).toEqual([]);
  });

  it("doesn't accept cookies on the API and worker routes, which require a token", async () => {
    await askAll(async (name) => {
      expect(await sendRequest(name, "GET", "/api/v1/videos"), name).toBe("sign in");
      expect(await sendRequest(name, "GET", "/api/worker/leases/x/files"), name).toBe("sign in");
    });
  });

  it("serves a hidden video's files only to the allowed roles", async () => {
    for (const owner of ["uploader", "publisher"]) {
      site.addVideo({
        uploaded_by: owner,
        status: "hidden",
        video_url: site.addFile("videos", `${owner}/1.mp4`, "bytes"),
      });
    }
    for (const name of NAMES) {
      const who = EVERYBODY[name];
      const reach = who ? reachOf(who, "/media/* hidden") : "none";
      for (const owner of ["uploader", "publisher"]) {
        const response = await fetch(`${site.url}/media/videos/${owner}/1.mp4`, {
          headers: { Cookie: cookies[name] ?? "" },
        });
        // The videos of these files haven't been reported. The tests of the moderator's pages cover files of reported
        // videos.
        const isTheirs = reach === "all" || (reach === "own" && name === owner);
        expect(response.status, `${name}: the file of ${owner}`).toBe(isTheirs ? 200 : 404);
      }
    }
  });

  it("closes a deactivated user's event stream, and doesn't log invitation tokens", async () => {
    const headers = { Cookie: cookies.editor };
    const stream = await fetch(`${site.url}/events?jobs`, { headers });
    const reader = stream.body!.getReader();
    const ended = (async () => {
      while (!(await reader.read()).done);
    })();
    const form = (fields: Record<string, string>) =>
      fetch(`${site.url}/admin/users`, {
        method: "POST",
        redirect: "manual",
        headers: { Cookie: cookies.owner, Origin: site.url },
        body: new URLSearchParams(fields),
      });
    expect((await form({ intent: "deactivate", id: "editor" })).status).toBe(302);
    await ended;
    const invited = await form({ intent: "invite", email: "new@example.com", role: "editor" });
    expect(invited.headers.get("Cache-Control")).toBe("no-store");
    const token = /\/invite\/([\w-]{43})/.exec(await invited.text())![1]!;
    const page = await fetch(`${site.url}/invite/${token}`);
    expect(page.status).toBe(200);
    expect(page.headers.get("Cache-Control")).toBe("no-store");
    expect(await page.text()).toContain("new@example.com");
    await expect.poll(() => site.log).toContain("GET /invite/:token 200");
    expect(site.log).not.toContain(token);
  });
});
