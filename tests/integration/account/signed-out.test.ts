import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { action } from "~/features/library/routes/admin";
import { requirePermission } from "~/features/permissions/guard.server";
import type { SignedOutForm } from "~/shared/signed-out-form";
import { sqliteHandle } from "~db/client.server";
import { adminCookie, catchResponse, signInAdmin } from "../../admin-requests";
import { ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const HEADERS = { Origin: ORIGIN, Host: "localhost" };

/** Sends a form to a studio page without a session. */
async function send(url: string, body: URLSearchParams | FormData) {
  const request = new Request(ORIGIN + url, { method: "POST", body, headers: HEADERS });
  const response = await catchResponse(() => requirePermission(request, "/admin"));
  return { response, form: (await response.json()) as SignedOutForm };
}

describe("a form sent without a session", () => {
  it.each([
    ["publish", "You must be logged in to upload videos."],
    ["update", "You must be logged in to edit videos."],
    ["toggle", "You must be logged in to hide or show videos."],
    ["schedule", "You must be logged in to schedule videos."],
    ["delete", "You must be logged in to delete videos."],
    ["restore", "You must be logged in to restore videos."],
    ["bulk", "You must be logged in to change videos."],
    ["nonsense", "You must be logged in to change videos."],
  ])("is rejected with 400 and a message that names the action (%s)", async (intent, message) => {
    const { response, form } = await send("/admin?tab=manage", new URLSearchParams({ intent }));
    expect([response.status, form.message]).toEqual([400, message]);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  });

  it.each([
    ["/admin", "You must be logged in to upload videos."],
    ["/admin?tab=manage&edit=v", "You must be logged in to edit videos."],
  ])("isn't read if it contains files (%s)", async (url, message) => {
    const body = new FormData();
    body.set("title", "A video");
    expect((await send(url, body)).form).toEqual({ message, fields: [] });
  });

  it.each([
    ["/admin/account", "You must be logged in to change your account."],
    ["/admin/queue", "You must be logged in to retry conversions."],
    ["/admin/trash", "You must be logged in to manage the trash."],
    ["/admin/tags", "You must be logged in to edit tags."],
    ["/admin/series", "You must be logged in to do this."],
  ])("is returned with its values (%s)", async (url, message) => {
    const fields: [string, string][] = [
      ["intent", "save"],
      ["title", "Night & day"],
      ["tag", "one"],
      ["tag", "two"],
    ];
    expect((await send(url, new URLSearchParams(fields))).form).toEqual({ message, fields });
  });

  it("is returned without its values if it is too large", async () => {
    const long = new URLSearchParams({ note: "x".repeat(70_000) });
    const many = new URLSearchParams(Array.from({ length: 201 }, () => ["selected", "v"]));
    for (const body of [long, many]) {
      expect((await send("/admin/tags", body)).form.fields).toEqual([]);
    }
  });

  it("is returned without its values if it has a secret field", async () => {
    const names = secretFields();
    expect(names).toEqual(expect.arrayContaining(["password", "current", "again", "code"]));
    for (const name of names) {
      const body = new URLSearchParams({ email: "a@example.com", [name]: "secret" });
      expect((await send("/admin/account", body)).form.fields, name).toEqual([]);
    }
  });

  it("is rejected if it comes from another site", async () => {
    const headers = { ...HEADERS, Origin: "https://elsewhere.example" };
    const request = new Request(`${ORIGIN}/admin/tags`, { method: "POST", headers });
    expect((await catchResponse(() => requirePermission(request, "/admin/tags"))).status).toBe(403);
  });
});

/** Returns the names of all fields for passwords and codes. */
function secretFields(): string[] {
  const sources = import.meta.glob<string>("../../../app/**/*.tsx", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  return Object.values(sources).flatMap((source) =>
    [...source.matchAll(/<(?:Field|input)\b[^>]*?>/gs)]
      .filter(([tag]) => /type="password"|one-time-code/.test(tag))
      .map(([tag]) => /\bname="([^"]+)"/.exec(tag)![1]!),
  );
}

describe("a form whose session has ended", () => {
  const sendToPanel = (body: URLSearchParams | FormData, headers: Record<string, string> = {}) =>
    action({
      request: new Request(`${ORIGIN}/admin`, {
        method: "POST",
        body,
        headers: { ...HEADERS, Cookie: adminCookie(), ...headers },
      }),
      params: {},
      context: {},
    });

  beforeEach(async () => {
    await signInAdmin();
    sqliteHandle().exec("DELETE FROM sessions");
  });

  it("is rejected with 400, and is returned with an upload's text fields but without its file", async () => {
    const form = new FormData();
    form.set("intent", "publish");
    form.set("title", "Kept");
    form.set("category", "desi");
    form.set("video", new File(["x".repeat(5_000)], "a.mp4", { type: "video/mp4" }));
    expect(await sendToPanel(form)).toMatchObject({
      init: { status: 400 },
      data: {
        signedOut: {
          message: "You must be logged in to upload videos.",
          upload: { title: "Kept", description: "", category: "desi", tags: "", duration: "" },
        },
      },
    });
    expect(sqliteHandle().prepare("SELECT count(*) FROM videos").pluck().get()).toBe(0);
  });

  it("is rejected with a message that names the action", async () => {
    expect(await sendToPanel(new URLSearchParams({ intent: "toggle", id: "v" }))).toMatchObject({
      init: { status: 400 },
      data: {
        signedOut: {
          message: "You must be logged in to hide or show videos.",
          fields: [
            ["intent", "toggle"],
            ["id", "v"],
          ],
        },
      },
    });
  });

  it("is rejected if it comes from another site", async () => {
    const body = new URLSearchParams({ intent: "toggle", id: "v" });
    const response = await catchResponse(() =>
      sendToPanel(body, { Origin: "https://elsewhere.example" }),
    );
    expect(response.status).toBe(403);
  });
});
