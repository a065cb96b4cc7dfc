import { beforeEach, describe, expect, it } from "vitest";
import { manageHref, readManageView } from "~/features/library/list/manage-address";
import { listManaged } from "~/features/library/list/managed-list.server";
import { loader } from "~/features/library/routes/admin";
import { missingFiles } from "~/features/operations/library-check/missing-files.server";
import { openSession } from "~/features/permissions/session.server";
import { sqliteHandle } from "~db/client.server";
import {
  addVideo,
  expectFailure,
  expectSuccess,
  page,
  useAdminSite,
  video,
  writeUpload,
} from "../../../admin-requests";
import { randomFrom } from "../../../bench/catalogue/generated-videos";

const site = useAdminSite();

async function manage(parameters: string) {
  return (await page(`/admin?tab=manage&${parameters}`)).manage!;
}
const ids = async (parameters: string) =>
  (await manage(parameters)).list.videos.map(({ id }) => id).join("");

const FOUR = [
  ["a", "Beach one", "2026-01-09T23:59:59.999Z", "u", "published"],
  ["b", "Beach two", "2026-01-10T00:00:00.000Z", "other", "hidden"],
  ["c", "Beach three", "2026-01-10T23:59:59.999Z", "other", "published"],
  ["d", "Valley", "2026-01-11T00:00:00.000Z", null, "published"],
] as const;

beforeEach(async () => {
  const sqlite = sqliteHandle();
  sqlite.exec(`INSERT INTO users (id, email, password_hash) VALUES
    ('other', '<b>z@example.com', 'x'), ('idle', 'idle@example.com', 'x')`);
  for (const [id, title, created_at, uploaded_by, status] of FOUR) {
    const thumbnail_url = id === "a" ? null : id === "b" ? "" : `/media/thumbnails/u/${id}.webp`;
    const video_url = `/media/videos/u/${id}.mp4`;
    addVideo({ id, title, created_at, uploaded_by, status, thumbnail_url, video_url });
    if (id !== "b") writeUpload(site.uploads, `videos/u/${id}.mp4`);
    if (id === "c") writeUpload(site.uploads, "thumbnails/u/c.webp");
  }
  sqlite.exec(`
    INSERT INTO jobs (video_id, kind, priority, state) VALUES
      ('c', 'ladder', 1, 'failed'), ('c', 'poster', 1, 'failed'), ('a', 'poster', 1, 'waiting'),
      ('d', 'poster', 1, 'done'), ('gone', 'poster', 1, 'failed');`);
  for await (const _ of missingFiles());
});

describe("the list filters", () => {
  it.each([
    ["from=2026-01-10", "dcb"],
    ["to=2026-01-10", "cba"],
    ["from=2026-01-10&to=2026-01-10", "cb"],
    ["from=2026-01-10T23:00:00.000Z", "dc"],
    ["to=2026-01-10T23:00:00.000Z", "ba"],
    ["to=2026-01-10T23:59:59.999Z", "ba"],
    ["from=2026-01-11&to=2026-01-10", ""],
    ["from=1970-01-01&to=9999-12-31", "dcba"],
    ["uploader=other", "cb"],
    ["uploader=u", "a"],
    ["uploader=idle", ""],
    ["uploader=nobody", ""],
    ["failed=1", "c"],
    ["missing=1", "db"],
    ["no-thumbnail=1", "ba"],
    ["missing=1&no-thumbnail=1", "b"],
    ["failed=1&missing=1", ""],
    ["failed=1&uploader=other&from=2026-01-10", "c"],
    ["uploader=other&status=hidden", "b"],
    ["uploader=other&sort=oldest", "bc"],
    ["from=2026-01-10&sort=title", "cbd"],
    ["search=beach&from=2026-01-10", "cb"],
    ["search=beach&missing=1", "b"],
    ["search=be&failed=1", "c"],
    ["search=beach&no-thumbnail=1&uploader=u", "a"],
    ["category=english&no-thumbnail=1", ""],
    ["status=scheduled&missing=1", ""],
  ])("find the right videos: %s", async (parameters, found) => {
    const { list } = await manage(parameters);
    expect(list.videos.map(({ id }) => id).join("")).toBe(found);
    expect(list.total).toBe(found.length);
  });

  it.each([
    "from=yesterday",
    "from=2026-02-31",
    "to=2026-13-01",
    "from=2026-01-10T23:00",
    "uploader=",
    "uploader=%20",
    `uploader=${"x".repeat(101)}`,
    "failed=yes",
    "missing=0",
    "no-thumbnail=",
    "size=51",
    "size=-1",
    "columns=nothing",
  ])("ignore the invalid value %s", async (parameters) => {
    const { list, view } = await manage(parameters);
    expect(list.total).toBe(4);
    expect(manageHref(view)).toBe("/admin?tab=manage");
  });

  it("find a video whose replacement file has a failed job", async () => {
    sqliteHandle().exec(`
      INSERT INTO video_files (id, video_id, state) VALUES ('f', 'd', 'pending');
      INSERT INTO jobs (video_id, kind, priority, state) VALUES ('f', 'transcode', 1, 'failed')`);
    expect(await ids("failed=1")).toBe("dc");
  });

  it("stay in the URL across pages, sort orders, forms and undo", async () => {
    const url =
      "/admin?tab=manage&search=beach&status=hidden&from=2026-01-10&to=2026-01-10T23%3A00%3A00.000Z&uploader=other&missing=1&no-thumbnail=1&sort=title&size=20&columns=title%2Cviews";
    const { view } = (await page(url)).manage!;
    expect(manageHref(view)).toBe(url);
    expect(manageHref({ ...view, page: 2 })).toBe(`${url}&page=2`);
    const { location, toast } = await expectSuccess({ intent: "delete", id: "b" }, url);
    expect(location).toBe(url);
    expect(toast.action.to).toBe(url);
  });

  it("accept columns in the format that a form without JavaScript sends", () => {
    const read = (text: string) => readManageView(new URLSearchParams(text)).columns;
    expect(read("columns=title&columns=views&columns=status")).toEqual(["status", "views"]);
    expect(read("columns=title")).toEqual([]);
    expect(read("columns=title,status,category,duration,views,size,added")).toBeUndefined();
  });

  it("also apply to a bulk action on all videos in the list", async () => {
    const all = { intent: "bulk", do: "hide", all: "1" };
    await expectSuccess(all, "/admin?tab=manage&uploader=other&from=2026-01-10&failed=1");
    const hidden = FOUR.map(([id]) => id).filter((id) => video(id)?.status === "hidden");
    expect(hidden).toEqual(["b", "c"]);
    await expectSuccess(all, "/admin?tab=manage&search=valley&missing=1");
    expect(video("d")?.status).toBe("hidden");
    expect(video("a")?.status).toBe("published");
  });

  it("offer only users who have uploaded something", async () => {
    const { uploaders } = await manage("");
    expect(uploaders).toEqual([
      { id: "other", email: "<b>z@example.com" },
      { id: "u", email: "a@b.c" },
    ]);
  });

  it("don't offer uploaders to users who only see their own videos", async () => {
    sqliteHandle().exec("UPDATE users SET role = 'uploader' WHERE id = 'other'");
    const cookie = (await openSession("other")).split(";")[0] ?? "";
    const request = new Request("http://localhost/admin?tab=manage&uploader=u&from=2026-01-10", {
      headers: { Cookie: cookie },
    });
    const response = (await loader({ request, params: {}, context: {} })) as unknown as {
      data: Awaited<ReturnType<typeof page>>;
    };
    const { list, uploaders, view } = response.data.manage!;
    expect(list.videos.map(({ id }) => id).join("")).toBe("cb");
    expect(uploaders).toBeUndefined();
    expect(manageHref(view)).toBe("/admin?tab=manage&from=2026-01-10");
  });
});

describe("filtering thousands of videos", () => {
  const KEYS = {
    newest: "created_at DESC, number DESC",
    oldest: "created_at, number",
    views: "views DESC, created_at DESC, number DESC",
    title: "title COLLATE NOCASE, number",
    longest: "seconds DESC, created_at DESC, number DESC",
    largest: "bytes DESC, number DESC",
  };
  const CONDITIONS: Record<string, string> = {
    from: "created_at >= '2025-01-01T06'",
    to: "created_at < '2025-01-03'",
    uploader: "uploaded_by = 'u'",
    failed: "id IN (SELECT video_id FROM jobs WHERE state = 'failed')",
    missing: "number % 7 = 0",
    "no-thumbnail": "thumbnail_url IS NULL",
    status: "status = 'published'",
    category: "category = 'desi'",
    search: "title LIKE '%even%'",
  };
  const VALUES: Record<string, string> = {
    ...{ from: "2025-01-01T06:00:00.000Z", to: "2025-01-02", uploader: "u", search: "even" },
    ...{ status: "published", category: "desi" },
  };
  /**
   * Single filters and combinations of filters. The single filters are also combined with other sort orders and search
   * text. Some queries have few matches, and others have too many to sort.
   */
  const QUERIES = [
    ...["from", "to", "uploader", "failed", "missing", "no-thumbnail"],
    ...["from to", "uploader from", "uploader status", "failed missing", "no-thumbnail from"],
    ...["uploader search", "no-thumbnail search", "missing search", "to category", "from status"],
  ];

  it("matches a plain query on every page in every sort order", async () => {
    const sqlite = sqliteHandle();
    sqlite.exec(`
      DELETE FROM videos;
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9000)
      INSERT INTO videos (number, id, title, category, status, duration, views, bytes, created_at,
        uploaded_by, thumbnail_url)
      SELECT n, 'v' || n, iif(n % 2, 'Odd ', 'Even ') || n * 7919 % 97, iif(n % 5, 'desi', 'english'),
        iif(n % 11, 'published', 'hidden'), n % 61 || ':30', n * 7919 % 503, n % 5 * 1000,
        strftime('%Y-%m-%dT%H:%M:%fZ', '2025-01-01', (n * 7919 % 9001 / 2) || ' minutes'),
        iif(n % 3, 'u', 'other'), iif(n % 4, '/media/thumbnails/u/1.webp', NULL) FROM numbers;
      DELETE FROM jobs;
      INSERT INTO jobs (video_id, kind, priority, state)
        SELECT 'v' || number, 'poster', 1, iif(number % 2, 'failed', 'done') FROM videos;
      DELETE FROM missing_files;
      INSERT INTO missing_files SELECT number FROM videos WHERE number % 7 = 0`);
    const random = randomFrom(3);
    for (const [index, query] of QUERIES.entries()) {
      const names = query.split(" ");
      // Each query is tested with three of the sort orders.
      for (const [sort, keys] of Object.entries(KEYS).filter((_, at) => at % 2 === index % 2)) {
        const where = names.map((name) => CONDITIONS[name]).join(" AND ");
        const plain = sqlite
          .prepare(`SELECT id FROM videos NOT INDEXED WHERE ${where} ORDER BY ${keys}`)
          .pluck()
          .all() as string[];
        const url = names.map((name) => `${name}=${VALUES[name] ?? 1}`).join("&");
        const number = 1 + Math.floor((random() * Math.min(plain.length, 4_000)) / 100);
        const view = readManageView(
          new URLSearchParams(`${url}&sort=${sort}&size=100&page=${number}`),
        );
        const found = await listManaged(view);
        const start = (number - 1) * 100;
        const what = `${url} by ${sort}, page ${number}`;
        expect(
          found.videos.map(({ id }) => id),
          what,
        ).toEqual(plain.slice(start, start + 100));
        expect(found.total, what).toBe(plain.length);
      }
    }
  }, 60_000);
});

describe("saved views", () => {
  const HERE =
    "/admin?tab=manage&search=beach&uploader=other&sort=title&size=20&columns=title%2Cviews";
  const save = (name: string, url = `${HERE}&page=2`) =>
    expectSuccess({ intent: "save-view", name }, url);
  const names = async () => (await manage("")).savedViews.map(({ name }) => name);

  it("store the URL of the first page, and are sorted by name", async () => {
    const { location, toast } = await save("  Waiting   for me ");
    expect([location, toast.title]).toEqual([`${HERE}&page=2`, "View saved"]);
    await save('<b>a"', "/admin?tab=manage&missing=1&nonsense=1");
    const { savedViews } = await manage("");
    expect(savedViews.map(({ name, to }) => [name, to])).toEqual([
      ['<b>a"', "/admin?tab=manage&missing=1"],
      ["Waiting for me", HERE],
    ]);
  });

  it("replace a view with the same name", async () => {
    await save("Mine");
    await save("MINE", "/admin?tab=manage&failed=1");
    const { savedViews } = await manage("");
    expect(savedViews.map(({ name, to }) => [name, to])).toEqual([
      ["MINE", "/admin?tab=manage&failed=1"],
    ]);
  });

  it("can be removed, and restored from the toast", async () => {
    await save("Mine");
    const { id } = (await manage("")).savedViews[0]!;
    const { toast } = await expectSuccess({ intent: "remove-view", view: String(id) });
    expect(await names()).toEqual([]);
    await expectSuccess(toast.action.fields, toast.action.to);
    expect((await manage("")).savedViews).toMatchObject([{ name: "Mine", to: HERE }]);
    expect((await expectFailure({ intent: "remove-view", view: String(id) })).status).toBe(404);
    expect((await expectFailure({ intent: "remove-view", view: "x" })).status).toBe(400);
  });

  it.each(["", "  ", "x".repeat(41), "a\u0000b"])("reject the name %j", async (name) => {
    expect((await expectFailure({ intent: "save-view", name })).status).toBe(422);
    expect(await names()).toEqual([]);
  });

  it("are limited to twenty per user, and can't be seen or removed by other users", async () => {
    for (let n = 1; n <= 20; n += 1) await save(`View ${n}`);
    expect((await expectFailure({ intent: "save-view", name: "One more" })).status).toBe(422);
    await save("View 7", "/admin?tab=manage&failed=1");
    sqliteHandle().exec("UPDATE saved_views SET user_id = 'other' WHERE name <> 'View 7'");
    expect(await names()).toEqual(["View 7"]);
    const other = sqliteHandle().prepare("SELECT id FROM saved_views WHERE name = 'View 1'");
    const view = String(other.pluck().get());
    expect((await expectFailure({ intent: "remove-view", view })).status).toBe(404);
    sqliteHandle().exec("DELETE FROM users WHERE id = 'other'");
    expect(sqliteHandle().prepare("SELECT count(*) FROM saved_views").pluck().get()).toBe(1);
  });
});

describe("missing files", () => {
  it("are found by the next check, shown with the time of that check, and forgotten once they exist again", async () => {
    const { filesCheckedAt } = await manage("missing=1");
    expect(Date.now() - Date.parse(filesCheckedAt!)).toBeLessThan(60_000);
    expect((await manage("failed=1")).filesCheckedAt).toBeUndefined();
    writeUpload(site.uploads, "videos/u/b.mp4");
    expect(await ids("missing=1")).toBe("db");
    for await (const _ of missingFiles());
    expect(await ids("missing=1")).toBe("d");
    sqliteHandle().exec("DELETE FROM videos WHERE id = 'd'");
    expect(sqliteHandle().prepare("SELECT count(*) FROM missing_files").pluck().get()).toBe(0);
  });

  it("are shown without the time of a check until the first check has finished", async () => {
    sqliteHandle().exec("UPDATE storage SET files_looked_at = NULL");
    expect((await manage("missing=1")).filesCheckedAt).toBeNull();
    for await (const file of missingFiles()) {
      expect(file.videoId).toBe("b");
      break;
    }
    expect((await manage("missing=1")).filesCheckedAt).toBeNull();
  });
});

describe("the page size", () => {
  it.each([
    [20, 20, 3, 14],
    [50, 50, 2, 4],
    [100, 54, 1, 54],
  ])("can be %i", async (size, first, pageCount, last) => {
    for (let n = 0; n < 50; n += 1) addVideo({ id: `m${n}`, title: `Many ${n}` });
    const { list } = await manage(`size=${size}`);
    expect([list.videos.length, list.pageCount]).toEqual([first, pageCount]);
    const end = (await manage(`size=${size}&page=99`)).list;
    expect([end.page, end.videos.length, end.videos.at(-1)?.id]).toEqual([pageCount, last, "a"]);
    const found = (await manage(`size=${size}&search=many`)).list;
    expect([found.total, found.pageCount]).toEqual([50, Math.ceil(50 / size)]);
  });
});
