import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as auth from "~/features/accounts/routes/auth";
import * as signOut from "~/features/accounts/routes/sign-out";
import { currentUser, requirePermission } from "~/features/permissions/guard.server";
import { hasOpenSession } from "~/features/permissions/session.server";
import { listActivities } from "~/platform/activity/activity.server";
import { readToast } from "~/platform/toast.server";
import { sqliteHandle } from "~db/client.server";
import { cookiesOf, formRequest, GOOD_PASSWORD, insertUser, ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ PUBLIC_URL: ORIGIN });
});
afterEach(() => site.remove());

let lastAddress = 0;
/** Returns a new IP address for each test, because the limits outlive a test. */
const freshAddress = () => `192.0.2.${++lastAddress}`;

type Args = Parameters<typeof auth.action>[0];
const args = (request: Request) => ({ request, params: {}, context: {} }) as Args;

interface Result {
  status?: number;
  response?: Response;
  headers?: Headers;
  message?: string;
  email?: string;
}

/** Calls the action. Returns its Response, or data with the status. */
async function post(
  fields: Record<string, string>,
  headers: Record<string, string> = { "X-Forwarded-For": freshAddress() },
): Promise<Result> {
  const response = await auth.action(args(formRequest("/auth", fields, headers)));
  if (response instanceof Response) return { status: response.status, response };
  return {
    status: response.init?.status,
    headers: new Headers(response.init?.headers),
    ...response.data,
  };
}

const withCookie = (cookie: string) =>
  new Request(`${ORIGIN}/admin`, { headers: { Cookie: cookie } });

/** Returns the response to a request for a studio page without a session. */
async function redirectToSignIn(url: string, cookie = ""): Promise<Response> {
  const request = new Request(ORIGIN + url, { headers: { Cookie: cookie } });
  return requirePermission(request, "/admin").catch(
    (response: unknown) => response as Response,
  ) as never;
}

describe("the redirect after signing in", () => {
  const signInWith = async (Cookie: string) => {
    const fields = { email: "admin@example.com", password: GOOD_PASSWORD };
    const { response } = await post(fields, { Cookie, "X-Forwarded-For": freshAddress() });
    return response!;
  };

  it("leads to the page that required signing in, but only once", async () => {
    insertUser();
    const away = await redirectToSignIn("/admin/statistics?days=30&q=a%20b");
    expect(away.headers.get("Location")).toBe("/auth");
    const response = await signInWith(cookiesOf(away));
    expect(response.headers.get("Location")).toBe("/admin/statistics?days=30&q=a%20b");
    expect(response.headers.getSetCookie().join()).toMatch(/return-to=; Path=\/; Max-Age=0/);
    expect((await signInWith("")).headers.get("Location")).toBe("/");
  });

  it("leads to Home if the studio's start page was requested, even if another page was requested earlier", async () => {
    insertUser();
    const before = cookiesOf(await redirectToSignIn("/admin/trash"));
    const away = await redirectToSignIn("/admin", before);
    expect(away.headers.get("Set-Cookie")).toMatch(/^return-to=; Path=\/; Max-Age=0/);
    expect((await signInWith("")).headers.get("Location")).toBe("/");
  });

  it("never leads to another site, even with a forged cookie", async () => {
    insertUser();
    const away = await redirectToSignIn("//evil.example/admin");
    expect((await signInWith(cookiesOf(away))).headers.get("Location")).toBe("/");
    const forged = `return-to=${Buffer.from("/admin").toString("base64url")}.forged`;
    expect((await signInWith(forged)).headers.get("Location")).toBe("/");
  });
});

describe("signing in", () => {
  it("redirects to Home with a toast, and starts a 30-day session, of which only the hash is stored", async () => {
    const { id, email } = insertUser();
    const { status, response } = await post({
      email: " ADMIN@Example.com ",
      password: GOOD_PASSWORD,
    });
    expect([status, response!.headers.get("Location")]).toEqual([302, "/"]);
    const session = response!.headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith("session="));
    expect(session).toMatch(/; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    const cookies = cookiesOf(response!);
    expect(await currentUser(withCookie(cookies))).toEqual({
      id,
      email,
      role: "owner",
      mayPublish: true,
    });
    expect((await readToast(withCookie(cookies))).toast).toEqual({
      title: "Success",
      description: "Signed in successfully!",
      kind: "success",
    });
    const row = sqliteHandle().prepare("SELECT * FROM sessions").get() as { id_hash: string };
    expect(row.id_hash).toMatch(/^[0-9a-f]{64}$/);
    const carried = Buffer.from(session!.split("=")[1]!.split(".")[0]!, "base64url").toString();
    expect(row.id_hash).not.toContain(carried);
    expect((await listActivities())[0]).toMatchObject({ action: "sign-in", email });
  });

  it("gives the same response for a wrong password and an unknown account", async () => {
    insertUser();
    const wrong = await post({ email: "admin@example.com", password: "wrong password" });
    const unknown = await post({ email: "nobody@example.com", password: "wrong password" });
    expect(wrong).toMatchObject({ status: 400, message: "Incorrect email or password." });
    expect({ ...unknown, email: wrong.email }).toEqual(wrong);
    expect(wrong.email).toBe("admin@example.com");
  });

  it("doesn't accept a longer password with the same first 72 bytes", async () => {
    const password = "x".repeat(72);
    insertUser("long@example.com", password);
    expect(await post({ email: "long@example.com", password: `${password}y` })).toMatchObject({
      status: 400,
    });
    expect(await post({ email: "long@example.com", password })).toMatchObject({ status: 302 });
  });

  it.each([
    [{}],
    [{ email: "admin@example.com" }],
    [{ password: "x" }],
    [{ email: " ", password: "x" }],
  ])("requires both fields (%j)", async (fields: Record<string, string>) => {
    expect(await post(fields)).toMatchObject({
      status: 422,
      message: "Email and password are required.",
    });
  });

  it("rejects oversized forms and forms from other sites", async () => {
    const foreign = formRequest(
      "/auth",
      { email: "a@b.c", password: "x" },
      { Origin: "https://evil.example" },
    );
    await expect(auth.action(args(foreign))).rejects.toMatchObject({ status: 403 });
    const long = formRequest("/auth", { email: "a@b.c", password: "x".repeat(100_000) });
    await expect(auth.action(args(long))).rejects.toMatchObject({ status: 413 });
  });

  it("redirects signed-in users to Home", async () => {
    insertUser();
    const { response } = await post({ email: "admin@example.com", password: GOOD_PASSWORD });
    const visit = auth.loader(args(withCookie(cookiesOf(response!))));
    await expect(visit).rejects.toMatchObject({ status: 302 });
    expect(await auth.loader(args(new Request(`${ORIGIN}/auth`)))).toEqual({ passkeys: false });
  });
});

describe("the sign-in limits", () => {
  const guess = (email: string, address: string, headers = {}) =>
    post({ email, password: "wrong password" }, { "X-Forwarded-For": address, ...headers });

  it("block an IP address after ten failures, but no other address", async () => {
    insertUser();
    const address = freshAddress();
    for (let n = 0; n < 10; n++) {
      expect(await guess("admin@example.com", address)).toMatchObject({ status: 400 });
    }
    const rejected = await post(
      { email: "admin@example.com", password: GOOD_PASSWORD },
      { "X-Forwarded-For": `6.6.6.6, ${address}` },
    );
    expect(rejected).toMatchObject({
      status: 429,
      message: "Too many attempts. Try again in 15 minutes.",
      email: "admin@example.com",
    });
    expect(Number(rejected.headers!.get("Retry-After"))).toBeGreaterThan(890);
    expect(await post({ email: "admin@example.com", password: GOOD_PASSWORD })).toMatchObject({
      status: 302,
    });
  });

  it("block guesses for one account from many IP addresses, except from known browsers", async () => {
    insertUser("target@example.com");
    const good = { email: "target@example.com", password: GOOD_PASSWORD };
    const known = cookiesOf((await post(good)).response!);
    // Send the guesses in batches that are smaller than the password hash queue.
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 6 }, () => guess("Target@example.com", freshAddress())),
      );
    }
    expect(await post(good)).toMatchObject({ status: 429 });
    expect(await post(good, { "X-Forwarded-For": freshAddress(), Cookie: known })).toMatchObject({
      status: 302,
    });
    expect((await listActivities()).map(({ action }) => action)).toContain("sign-in-refused");
  });

  it("apply to concurrent attempts", async () => {
    insertUser();
    const address = freshAddress();
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => guess("admin@example.com", address)),
    );
    const statuses = responses.map(({ status }) => status);
    const tried = statuses.filter((status) => status === 400);
    expect(tried.length).toBeGreaterThan(0);
    expect(tried.length).toBeLessThanOrEqual(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30 - tried.length);
  });

  it("prevent a flood from many IP addresses from filling the password hash queue", async () => {
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, n) => guess(`flood${n}@example.com`, freshAddress())),
    );
    const busy = responses.filter(({ status }) => status === 429);
    expect(busy.length).toBeGreaterThanOrEqual(40);
    expect(busy[0]!.message).toBe("Too many people are signing in. Try again in a few seconds.");
    expect(busy[0]!.headers!.get("Retry-After")).toBe("5");
  });
});

describe("a flood of sign-in attempts from eight IP addresses", () => {
  it("doesn't keep users on a new network from signing in", async () => {
    insertUser();
    const good = { email: "admin@example.com", password: GOOD_PASSWORD };
    for (const n of [1, 2, 3]) insertUser(`flood${n}@example.com`);
    const addresses = Array.from({ length: 8 }, (_, n) => `203.0.${113 + n}.7`);
    for (let round = 0; round < 3; round++) {
      const flood = addresses.flatMap((address) =>
        [1, 2, 3].map((n) =>
          post(
            { email: `flood${n}@example.com`, password: "wrong password" },
            { "X-Forwarded-For": address },
          ),
        ),
      );
      const arriving = post(good, { "X-Forwarded-For": `198.18.${round}.1` });
      // In the first round, the flood's addresses are as new as this one.
      if (round > 0) expect(await arriving, `round ${round}`).toMatchObject({ status: 302 });
      await Promise.all(flood);
    }
  });
});

describe("a session", () => {
  const signIn = async () =>
    cookiesOf((await post({ email: "admin@example.com", password: GOOD_PASSWORD })).response!);

  it("ends on sign-out, but only on the current device", async () => {
    insertUser();
    const [here, elsewhere] = [await signIn(), await signIn()];
    const response = await signOut.action(args(formRequest("/sign-out", {}, { Cookie: here })));
    expect([response.status, response.headers.get("Location")]).toEqual([302, "/"]);
    expect(response.headers.get("Set-Cookie")).toMatch(/^session=; Path=\/; Max-Age=0/);
    expect(response.headers.get("Clear-Site-Data")).toBe('"cache"');
    expect(await currentUser(withCookie(here))).toBeUndefined();
    expect(await currentUser(withCookie(elsewhere))).toBeDefined();
  });

  it("can be ended on all devices with the button on the account page", async () => {
    insertUser();
    const [here, elsewhere] = [await signIn(), await signIn()];
    const form = formRequest("/sign-out", { everywhere: "1" }, { Cookie: here });
    const response = await signOut.action(args(form));
    expect([response.status, response.headers.get("Location")]).toEqual([302, "/"]);
    expect(await currentUser(withCookie(here))).toBeUndefined();
    expect(await currentUser(withCookie(elsewhere))).toBeUndefined();
  });

  it("can't be ended by a link or another site", async () => {
    insertUser();
    const cookie = await signIn();
    expect(signOut.loader()).toMatchObject({ status: 302 });
    const foreign = formRequest(
      "/sign-out",
      {},
      { Cookie: cookie, Origin: "https://evil.example" },
    );
    await expect(signOut.action(args(foreign))).rejects.toMatchObject({ status: 403 });
    expect(await currentUser(withCookie(cookie))).toBeDefined();
  });

  it("ends after 30 days without use, and is extended by use", async () => {
    insertUser();
    const cookie = await signIn();
    const age = (column: string, days: number) =>
      sqliteHandle()
        .prepare(`UPDATE sessions SET ${column} = ?`)
        .run(new Date(Date.now() + days * 86_400_000).toISOString());
    const row = () =>
      sqliteHandle().prepare("SELECT last_used_at, expires_at FROM sessions").get() as {
        last_used_at: string;
        expires_at: string;
      };
    // The session was just used, so nothing is written.
    age("expires_at", 12);
    const untouched = row();
    await currentUser(withCookie(cookie));
    expect(row()).toEqual(untouched);
    // The session was used a day ago, so it is extended to 30 days from now.
    age("last_used_at", -1);
    await currentUser(withCookie(cookie));
    expect(Date.parse(row().expires_at) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
    // Expired.
    age("expires_at", -0.001);
    expect(await currentUser(withCookie(cookie))).toBeUndefined();
  });

  it("ends 90 days after the sign-in, even if it is still in use", async () => {
    insertUser();
    const cookie = await signIn();
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const ageBy = (days: number) =>
      sqliteHandle()
        .prepare("UPDATE sessions SET created_at = ?, last_used_at = ?")
        .run(daysAgo(days), daysAgo(1));
    // The session is used ten days before the absolute limit, so it is extended by only those ten days.
    ageBy(80);
    expect(await currentUser(withCookie(cookie))).toBeDefined();
    const end = sqliteHandle().prepare("SELECT expires_at FROM sessions").pluck().get() as string;
    expect((Date.parse(end) - Date.now()) / 86_400_000).toBeCloseTo(10, 1);
    expect(hasOpenSession(cookie)).toBe(true);
    // Another version of the site may have extended the row beyond the limit.
    ageBy(90.001);
    expect(await currentUser(withCookie(cookie))).toBeUndefined();
    expect(hasOpenSession(cookie)).toBe(false);
  });

  it("is required by the route guard", async () => {
    await expect(
      requirePermission(withCookie("session=forged.mac"), "/admin"),
    ).rejects.toMatchObject({
      status: 302,
    });
    const upload = requirePermission(formRequest("/admin", { intent: "publish" }), "/admin");
    const response = (await upload.catch((thrown) => thrown)) as Response;
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      message: "You must be logged in to upload videos.",
    });
  });
});
