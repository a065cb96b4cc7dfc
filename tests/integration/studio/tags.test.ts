import Sqlite from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import {
  listCloseMatches,
  listPublished,
  listTagged,
} from "~/features/catalogue/published-list.server";
import { loader as publicTag } from "~/features/catalogue/routes/tag";
import { suggestions } from "~/features/catalogue/search-suggestions.server";
import { aliasesOf, resolveAliases } from "~/features/catalogue/tags.server";
import { action, loader } from "~/features/library/routes/tags";
import {
  changeTags,
  listTagChanges,
  resumeTagChanges,
  undoTagChange,
} from "~/features/library/tags/tag-changes.server";
import { listActivities } from "~/platform/activity/activity.server";
import { ensureProjected } from "~db/changes.server";
import { disableBusyTimeout, sqliteHandle } from "~db/client.server";
import {
  addVideo,
  adminCookie,
  catchResponse,
  expectSuccessOf,
  expectSuccess as succeedInPanel,
  useAdminSite,
  video,
} from "../../admin-requests";

useAdminSite();
const ORIGIN = "http://localhost";

async function page(url = "/admin/tags") {
  const request = new Request(ORIGIN + url, { headers: { Cookie: adminCookie() } });
  const { data, init } = await loader({ request, params: {}, context: {} });
  return { ...data, status: init?.status };
}

function send(fields: [string, string][], url = "/admin/tags", headers = {}) {
  const request = new Request(ORIGIN + url, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost", ...headers },
  });
  return action({ request, params: {}, context: {} });
}

async function expectSuccess(fields: [string, string][], url?: string) {
  const { location, toast } = await expectSuccessOf(() => send(fields, url));
  return { location, ...toast };
}

async function rejected(fields: [string, string][]) {
  const response = (await send(fields)) as unknown as {
    data: { error: { status: number; detail: string; typed?: object } };
    init: { status: number };
  };
  expect(response.init.status).toBe(response.data.error.status);
  return response.data.error;
}

const merge = (name: string, ...tags: string[]): [string, string][] => [
  ["intent", "merge"],
  ["name", name],
  ...tags.map((tag): [string, string] => ["selected", tag]),
];
const tagsOf = (...ids: string[]) =>
  ids.map((id) => {
    const { tags } = video(id) ?? {};
    return tags === null ? null : JSON.parse(String(tags));
  });
const found = async (search: string) =>
  (await listPublished({ search, page: 1 })).videos.map(({ id }) => id).sort();
const findCloseMatches = async (search: string, category?: string) =>
  (await listCloseMatches({ search, category, page: 1 })).videos.map(({ id }) => id).sort();

function addTagged(): void {
  addVideo({ id: "a", status: "published", tags: '["hd","night"]' });
  addVideo({ id: "b", status: "published", tags: '["HD"]' });
  addVideo({ id: "c", status: "review", tags: '["4K","HD","river"]' });
  addVideo({ id: "d", status: "published", tags: null });
}

describe("the Tags page", () => {
  it("counts the videos with each tag, regardless of the videos' status and the tag's capitalization", async () => {
    addTagged();
    const { list } = await page();
    expect(list).toMatchObject({ total: 4, found: 4, page: 1, pageCount: 1 });
    expect(list.tags).toEqual([
      { tag: "hd", name: "HD", spellings: ["hd"], videos: 3, published: 2 },
      { tag: "4k", name: "4K", spellings: [], videos: 1, published: 0 },
      { tag: "night", name: "night", spellings: [], videos: 1, published: 1 },
      { tag: "river", name: "river", spellings: [], videos: 1, published: 0 },
    ]);
    addVideo({ id: "e", tags: '["river"," river ",7,""]' });
    expect((await page("/admin/tags?sort=name")).list.tags.at(-1)).toMatchObject({ videos: 2 });
  });

  it("supports search and pages, and responds with 404 for an unused tag", async () => {
    const tags = (n: number) => JSON.stringify([`Tag ${n}`, n % 2 ? "odd" : "even"]);
    for (let n = 0; n < 130; n += 1) addVideo({ id: `v${n}`, tags: tags(n) });
    const { list, view } = await page("/admin/tags?search=TAG&page=9");
    expect(list).toMatchObject({ found: 130, total: 132, page: 2, pageCount: 2 });
    expect([list.tags.length, view.page]).toEqual([30, 2]);
    expect(await page("/admin/tags?tag=ODD")).toMatchObject({
      status: 200,
      requested: { tag: "odd", videos: 65 },
    });
    expect(await page("/admin/tags?tag=gone")).toMatchObject({ status: 404, requested: null });
  });

  it("requires a session, and rejects forms from other sites", async () => {
    const request = new Request(`${ORIGIN}/admin/tags`);
    const response = await catchResponse(() => loader({ request, params: {}, context: {} }));
    expect(response.headers.get("Location")).toBe("/auth");
    addTagged();
    const foreign = { Origin: "https://evil.example" };
    expect((await catchResponse(() => send(merge("x", "hd"), undefined, foreign))).status).toBe(
      403,
    );
    expect(tagsOf("b")).toEqual([["HD"]]);
  });
});

describe("a tag", () => {
  it("is renamed in every video, even if only its capitalization changes", async () => {
    addTagged();
    const done = await expectSuccess(merge("Hd", "hd"), "/admin/tags?sort=name");
    expect(done).toMatchObject({
      location: "/admin/tags?sort=name",
      description: "Changed “HD” to “Hd” in 3 videos.",
    });
    expect(tagsOf("a", "b", "c")).toEqual([["Hd", "night"], ["Hd"], ["4K", "Hd", "river"]]);
    expect((await listActivities())[0]).toMatchObject({
      action: "tag-change",
      detail: "changed the tag “HD” to “Hd” in 3 videos",
    });
  });

  it("can be merged with others, and each video gets the merged tag only once", async () => {
    addTagged();
    await expectSuccess(merge("HD", "hd", "4k"));
    expect(tagsOf("a", "b", "c")).toEqual([["HD", "night"], ["HD"], ["HD", "river"]]);
    await expectSuccess(merge("night", "river"));
    addVideo({ id: "e", tags: '["Night","river"]' });
    await ensureProjected();
    await expectSuccess(merge("night", "river"));
    expect(tagsOf("c", "e")).toEqual([["HD", "night"], ["Night"]]);
  });

  it("can be removed, and null is stored if a video has no tags left", async () => {
    addTagged();
    const { description } = await expectSuccess([
      ["intent", "delete"],
      ["selected", "HD"],
    ]);
    expect(description).toBe("Removed “HD” from 3 videos.");
    expect(tagsOf("a", "b", "c", "d")).toEqual([["night"], null, ["4K", "river"], null]);
  });

  it("is restored by Undo, except in videos whose tags have since changed", async () => {
    addTagged();
    const before = tagsOf("a", "b", "c");
    const { action: undo } = await expectSuccess(merge("Quality", "hd", "4k"));
    expect(undo).toMatchObject({ label: "Undo", to: "/admin/tags" });
    expect(await listTagChanges()).toMatchObject([
      { state: "done", videos: 3, message: "changed the tag “HD”, “4K” to “Quality”" },
    ]);
    sqliteHandle().exec(`UPDATE videos SET tags = '["own"]' WHERE id = 'b'`);
    const fields = Object.entries(undo.fields) as [string, string][];
    const { description } = await expectSuccess(fields);
    expect(description).toBe(
      "Undid the change in 2 videos. Skipped 1 video whose tags have changed in the meantime.",
    );
    expect(tagsOf("a", "b", "c")).toEqual([before[0], ["own"], before[2]]);
    // Another user has already clicked Undo.
    expect((await rejected(fields)).status).toBe(404);
    expect(await listTagChanges()).toEqual([]);
    expect((await listActivities())[0]?.action).toBe("tag-undo");
  });

  it.each([
    ["no name", merge(" , ", "hd"), 422, "Enter a tag name."],
    ["two names", merge("one, two", "hd"), 422, "A tag can’t contain a comma."],
    [
      "a name that is too long",
      merge("x".repeat(61), "hd"),
      422,
      "Use at most 60 characters per tag.",
    ],
    ["no tag", merge("x"), 422, "Select at least one tag."],
    ["a tag that doesn't exist", merge("x", "gone"), 404, "No videos have this tag anymore."],
    ["no intent", [["selected", "hd"]], 400, "Reload the page"],
    [
      "an unknown change",
      [
        ["intent", "undo"],
        ["change", "9"],
      ],
      404,
      "It was already undone",
    ],
    ["a missing change", [["intent", "undo"]], 404, "It was already undone"],
  ] as [string, [string, string][], number, string][])(
    "isn't changed if the form has %s",
    async (_, form, status, message) => {
      addTagged();
      expect(await rejected(form)).toMatchObject({
        status,
        detail: expect.stringContaining(message),
      });
      expect(tagsOf("a", "b")).toEqual([["hd", "night"], ["HD"]]);
      expect(await listActivities()).toEqual([]);
    },
  );
});

describe("a tag change", () => {
  it("resumes after a restart, whether it is being applied or undone", async () => {
    for (let n = 0; n < 100; n += 1) addVideo({ id: `v${n}`, tags: '["old"]' });
    await ensureProjected();
    const change = { tags: [{ tag: "old", name: "old" }], target: "new", keepsAsAliases: false };
    const { id, end } = (await changeTags(change, "u"))!;
    await end;
    // Simulates the state that a process leaves behind if it is terminated halfway through the change.
    sqliteHandle().exec(`
      UPDATE videos SET tags = '["old"]' WHERE number > 50;
      DELETE FROM tag_change_videos WHERE video_id IN (SELECT id FROM videos WHERE number > 50);
      UPDATE tag_changes SET state = 'running'`);
    await resumeTagChanges();
    expect(await listTagChanges()).toMatchObject([{ id, state: "done", videos: 100 }]);
    expect(tagsOf("v0", "v99")).toEqual([["new"], ["new"]]);
    sqliteHandle().exec(`
      UPDATE videos SET tags = '["old"]' WHERE number <= 50;
      UPDATE tag_changes SET state = 'undoing'`);
    await resumeTagChanges();
    expect(tagsOf("v0", "v99")).toEqual([["old"], ["old"]]);
    expect(await listTagChanges()).toEqual([]);
  });

  it("waits longer than a request while another process is writing to the database", async () => {
    addTagged();
    await expectSuccess(merge("x", "hd"));
    sqliteHandle().exec(`
      UPDATE videos SET tags = '["hd"]' WHERE id = 'b';
      UPDATE tag_changes SET state = 'running'`);
    await ensureProjected();
    disableBusyTimeout();
    const other = new Sqlite(sqliteHandle().name);
    other.exec("BEGIN IMMEDIATE");
    vi.useFakeTimers({ toFake: ["performance"] });
    const waits = vi.spyOn(globalThis, "setTimeout");
    const resumed = resumeTagChanges();
    // The change waits 20 ms between two attempts, and checks the clock before each one.
    const attempts = () => waits.mock.calls.filter(([, ms]) => ms === 20).length;
    for (let time = 0; time < 5; time += 1) {
      const before = attempts();
      await vi.waitFor(() => expect(attempts()).toBeGreaterThan(before));
      // This is longer than the total time that a request waits.
      vi.advanceTimersByTime(3_000);
    }
    other.exec("COMMIT");
    other.close();
    await resumed;
    vi.useRealTimers();
    waits.mockRestore();
    expect(tagsOf("b")).toEqual([["x"]]);
    expect(await listTagChanges()).toMatchObject([{ state: "done" }]);
  });

  it("can be undone for 30 days", async () => {
    addTagged();
    await expectSuccess(merge("x", "hd"));
    const days = (count: number) => Date.now() + count * 24 * 60 * 60 * 1000;
    await resumeTagChanges(days(29));
    expect(await listTagChanges(days(29))).toHaveLength(1);
    await resumeTagChanges(days(31));
    expect(sqliteHandle().prepare("SELECT count(*) FROM tag_change_videos").pluck().get()).toBe(0);
    expect(await listTagChanges()).toEqual([]);
  });

  it("yields to the event loop while it changes thousands of videos", async () => {
    sqliteHandle().transaction(() => {
      for (let n = 0; n < 3_000; n += 1) addVideo({ id: `v${n}`, tags: '["old","other"]' });
    })();
    await ensureProjected();
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    const change = { tags: [{ tag: "old", name: "old" }], target: "new", keepsAsAliases: false };
    const { id, end } = (await changeTags(change, "u"))!;
    expect(await end).toEqual({ videos: 3_000, left: 0 });
    const { end: undone } = (await undoTagChange(id, "u"))!;
    expect(await undone).toEqual({ videos: 3_000, left: 0 });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
    expect(tagsOf("v2999")).toEqual([["old", "other"]]);
  });
});

describe("a tag alias", () => {
  const aliases = (tag: string, text: string): [string, string][] => [
    ["intent", "aliases"],
    ["selected", tag],
    ["aliases", text],
  ];
  const visit = (path: string) =>
    publicTag({ request: new Request(ORIGIN + path), params: {}, context: {} });

  it("lists the tag's videos as close matches in a search for it, except those that match exactly", async () => {
    addTagged();
    addVideo({ id: "t", status: "published", title: "uhd test, high definition" });
    await expectSuccess(aliases("hd", "Uhd, high definition, q"));
    expect((await page()).aliases.hd).toEqual(["high definition", "q", "uhd"]);
    for (const [search, exact] of [
      ["UHD", ["t"]],
      ["high definition", ["t"]],
      ["Q", []],
    ] as const) {
      expect(await found(search)).toEqual(exact);
      expect(await findCloseMatches(search)).toEqual(["a", "b"]);
    }
    expect(await findCloseMatches("q", "desi")).toEqual(["a", "b"]);
    expect(await findCloseMatches("q", "english")).toEqual([]);
    // Close matches don't repeat the exact results.
    sqliteHandle().exec("UPDATE videos SET title = 'Best UHD' WHERE id = 'a'");
    expect([await found("uhd"), await findCloseMatches("uhd")]).toEqual([["a", "t"], ["b"]]);
    sqliteHandle().exec("UPDATE videos SET status = 'hidden' WHERE id = 'b'");
    expect(await findCloseMatches("uhd")).toEqual([]);
    // An alias matches only if the whole name is entered.
    expect([await found("uh"), await findCloseMatches("uh")]).toEqual([["a", "t"], []]);
  });

  it("makes the search suggest its tag if any published video has that tag", async () => {
    addTagged();
    await expectSuccess(aliases("hd", "uhd"));
    await expectSuccess(aliases("river", "stream"));
    const tag = { kind: "tag", text: "HD", href: "/tags/HD" };
    expect(await suggestions("UHD", undefined)).toEqual([tag]);
    expect(await suggestions("stream", undefined)).toEqual([]);
  });

  it("redirects to its tag's page, which also lists videos tagged with the alias by other tools", async () => {
    addTagged();
    await expectSuccess(aliases("hd", "high definition"));
    addVideo({ id: "x", status: "published", tags: '["High Definition"]' });
    const response = await catchResponse(() => visit("/tags/High%20Definition?page=2"));
    expect(response.status).toBe(302);
    expect(response.headers.get("Location")).toBe("/tags/HD?page=2");
    expect((await listTagged({ tag: "hd", page: 1 })).videos.map(({ id }) => id).sort()).toEqual([
      ...["a", "b", "x"],
    ]);
  });

  it("is replaced with its tag in edits and bulk actions, without duplicates", async () => {
    addTagged();
    await expectSuccess(aliases("hd", "uhd"));
    expect(resolveAliases(["UHD", "hd", "night"])).toEqual(["HD", "night"]);
    const edit = { title: "A", description: "", category: "desi", duration: "1:00" };
    await succeedInPanel({ intent: "update", id: "d", ...edit, tags: "Uhd, hd, new" });
    await succeedInPanel({ intent: "bulk", do: "add-tags", selected: ["a"], tags: "uhd, one" });
    expect(tagsOf("d", "a")).toEqual([
      ["HD", "new"],
      ["hd", "night", "one"],
    ]);
  });

  it("can be created when a tag is renamed, and is removed when the rename is undone", async () => {
    addTagged();
    await expectSuccess(aliases("hd", "uhd"));
    const { action: undo } = await expectSuccess([...merge("Sharp", "hd", "4k"), ["keep", "1"]]);
    expect(aliasesOf("sharp")).toEqual(["4k", "hd", "uhd"]);
    expect(await findCloseMatches("hd")).toEqual(["a", "b"]);
    expect((await catchResponse(() => visit("/tags/4k"))).headers.get("Location")).toBe(
      "/tags/Sharp",
    );
    await expectSuccess(Object.entries(undo.fields) as [string, string][]);
    expect([aliasesOf("sharp"), aliasesOf("hd")]).toEqual([[], ["uhd"]]);
    // Renaming a tag without keeping an alias frees its old name. A tag that is renamed to its own alias loses that
    // alias.
    await expectSuccess(merge("uhd", "hd"));
    expect([aliasesOf("uhd"), aliasesOf("hd")]).toEqual([[], []]);
    expect(await found("uhd")).toEqual(["a", "b"]);
  });

  it.each([
    ["the tag itself", "Hd", "A tag can’t be an alias of itself"],
    ["a tag in use", "river", "“river” is a tag in use"],
    ["a tag with aliases", "night", "“night” has aliases of its own"],
    ["an alias of another tag", "dark", "“dark” is already an alias of “night”."],
    ["too long", "x".repeat(61), "Use at most 60 characters per tag."],
  ])("is rejected if it is %s", async (_, text, message) => {
    addTagged();
    await expectSuccess(aliases("night", "dark"));
    expect(await rejected(aliases("hd", text))).toMatchObject({
      status: 422,
      detail: expect.stringContaining(message),
      typed: { aliases: text },
    });
    expect(aliasesOf("hd")).toEqual([]);
  });

  it("is rejected with 404 if its tag doesn't exist", async () => {
    expect((await rejected(aliases("gone", "x"))).status).toBe(404);
  });
});
