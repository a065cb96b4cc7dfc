import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requirePermission } from "~/account/guard.server";
import { action } from "~/routes/admin";
import { readToast } from "~/server/toast.server";
import { sqliteHandle } from "~db/client.server";
import { adminCookie, caught, signInAdmin } from "../../admin-requests";
import { ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const HEADERS = { Origin: ORIGIN, Host: "localhost" };

async function toldOf(address: string, body: URLSearchParams | FormData) {
  const request = new Request(ORIGIN + address, { method: "POST", body, headers: HEADERS });
  const answer = await caught(() => requirePermission(request, "/admin"));
  expect(answer.headers.get("Location")).toBe("/auth");
  const cookie = answer.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  const { toast } = await readToast(new Request(ORIGIN, { headers: { Cookie: cookie } }));
  expect(toast?.title).toBe("Error");
  return toast?.description;
}

describe("a form of somebody who is not signed in", () => {
  it.each([
    ["publish", "You must be logged in to upload videos."],
    ["update", "You must be logged in to edit videos."],
    ["toggle", "You must be logged in to hide or show videos."],
    ["schedule", "You must be logged in to schedule videos."],
    ["delete", "You must be logged in to delete videos."],
    ["restore", "You must be logged in to restore videos."],
    ["bulk", "You must be logged in to change videos."],
    ["nonsense", "You must be logged in to change videos."],
  ])("that asks for %s is told what it was about", async (intent, sentence) => {
    expect(await toldOf("/admin?tab=manage", new URLSearchParams({ intent }))).toBe(sentence);
  });

  it("with files is told by its address, unread", async () => {
    const form = new FormData();
    form.set("title", "A film");
    expect(await toldOf("/admin", form)).toBe("You must be logged in to upload videos.");
    expect(await toldOf("/admin?tab=manage&edit=v", form)).toBe(
      "You must be logged in to edit videos.",
    );
  });

  it.each([
    ["/admin/account", "You must be logged in to change your account."],
    ["/admin/queue", "You must be logged in to retry conversions."],
    ["/admin/trash", "You must be logged in to change the trash."],
    ["/admin/tags", "You must be logged in to change tags."],
  ])("of %s is told what it was about", async (address, sentence) => {
    expect(await toldOf(address, new URLSearchParams())).toBe(sentence);
  });
});

describe("a form whose sender's session has ended", () => {
  const send = (body: URLSearchParams | FormData, headers: Record<string, string> = {}) =>
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

  it("is answered 401, an upload with its texts and without its file", async () => {
    const form = new FormData();
    form.set("intent", "publish");
    form.set("title", "Kept");
    form.set("category", "desi");
    form.set("video", new File(["x".repeat(5_000)], "a.mp4", { type: "video/mp4" }));
    expect(await send(form)).toMatchObject({
      init: { status: 401 },
      data: {
        signedOut: {
          sentence: "You must be logged in to upload videos.",
          upload: { title: "Kept", description: "", category: "desi", tags: "", duration: "" },
        },
      },
    });
    expect(sqliteHandle().prepare("SELECT count(*) FROM videos").pluck().get()).toBe(0);
  });

  it("is told what it was about", async () => {
    expect(await send(new URLSearchParams({ intent: "toggle", id: "v" }))).toMatchObject({
      init: { status: 401 },
      data: { signedOut: { sentence: "You must be logged in to hide or show videos." } },
    });
  });

  it("of another site is refused", async () => {
    const body = new URLSearchParams({ intent: "toggle", id: "v" });
    const answer = await caught(() => send(body, { Origin: "https://elsewhere.example" }));
    expect(answer.status).toBe(403);
  });
});
