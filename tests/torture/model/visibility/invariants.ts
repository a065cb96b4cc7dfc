import { captures, linkedIds } from "../running-site";
import { expectSame } from "../step";
import { type ModelVideo, URGENT, type VisibilityModel } from "./reference";
import { SERIES_SLUG, TAG, type VisibilitySite, WORD } from "./site";

/**
 * Invariants that are checked after every step: videos that are hidden or on hold can't be accessed, the database
 * contains the same holds as the model, and no public video has an open urgent report that should hide it.
 */

const SERIES = `/series/${SERIES_SLUG}`;
const PAGES = [1, 2];
/**
 * Pages are compared only after every third step, because a comparison takes as long as two steps. This finds
 * differences a little later, but leaves the run time for more steps.
 */
const PAGE_CHECK_INTERVAL = 3;
/** Lists are compared only every third time, because comparing a list takes as long as comparing all other pages. */
const LIST_CHECK_INTERVAL = 3;
const SAVED_BATCH_SIZE = 24;
const isOurs = (id: string) => !id.startsWith("other-");
const idsIn = (xml: string) => captures(xml, /\/video\/([\w-]+)[<?"&]/g).filter(isOurs);

/**
 * All lists of videos, as functions that return the IDs in them. IDs of videos that don't belong to the run are
 * omitted.
 */
const LISTS: Record<string, (site: VisibilitySite) => Promise<string[]>> = {
  home: (site) => pagesOf(site, "/"),
  search: (site) => pagesOf(site, `/?search=${WORD}`),
  category: (site) => pagesOf(site, "/categories/desi"),
  trending: (site) => pagesOf(site, "/trending"),
  tag: (site) => pagesOf(site, `/tags/${TAG}`),
  series: (site) => pagesOf(site, SERIES),
  feed: async (site) => idsIn((await site.read("/feed.xml")).body),
  "feed of the tag": async (site) => idsIn((await site.read(`/tags/${TAG}/feed.xml`)).body),
  "feed of the series": async (site) => idsIn((await site.read(`${SERIES}/feed.xml`)).body),
  sitemap: async (site) => idsIn((await site.read("/sitemap/1.xml")).body),
};

/** Lists that may contain only some of the public videos. */
const PARTIAL_LISTS: Record<string, (site: VisibilitySite, id: string) => Promise<string[]>> = {
  suggestions: async (site) => idsIn((await site.read(`/search/suggestions?q=${WORD}`)).body),
  "related videos": async (site, id) => idsIn((await site.read(`/video/${id}`)).main),
  "queue of the series": async (site, id) =>
    idsIn((await site.read(`/video/${id}?series=${SERIES_SLUG}`)).main),
};

async function pagesOf(site: VisibilitySite, path: string): Promise<string[]> {
  const ids: string[] = [];
  for (const page of PAGES) {
    const address = page === 1 ? path : `${path}${path.includes("?") ? "&" : "?"}page=${page}`;
    const { status, main } = await site.read(address);
    const shown = status === 200 ? linkedIds(main).filter(isOurs) : [];
    ids.push(...shown);
    if (shown.length < 8) break;
  }
  return [...new Set(ids)];
}

/** Compares the database and, after some of the steps, the pages of a changed video and a list. */
export async function check(model: VisibilityModel, site: VisibilitySite): Promise<void> {
  compareDatabase(model, site);
  model.checked += 1;
  if (model.checked % PAGE_CHECK_INTERVAL !== 0) return;
  await compareSaved(model, site);
  const round = model.checked / PAGE_CHECK_INTERVAL;
  const touched = [...model.touched];
  model.touched.clear();
  const [video] = touched.slice(round % Math.max(1, touched.length));
  if (video) await compareVideo(video, model, site);
  if (round % LIST_CHECK_INTERVAL !== 0) return;
  const names = Object.keys(LISTS).filter((name) => name !== "sitemap");
  await compareList(names[(round / LIST_CHECK_INTERVAL) % names.length]!, model, site);
}

/** Compares everything. */
export async function checkAll(model: VisibilityModel, site: VisibilitySite): Promise<void> {
  compareDatabase(model, site);
  await compareSaved(model, site);
  for (const name of Object.keys(LISTS)) await compareList(name, model, site);
  const seen = new Set(model.publicIds);
  for (const [name, shown] of Object.entries(PARTIAL_LISTS)) {
    const id = model.publicIds[0] ?? "other-1";
    const stray = (await shown(site, id)).filter((each) => !seen.has(each));
    expectSame(`${name}: strays`, stray, []);
  }
  for (const video of model.videos) {
    await compareVideo(video, model, site);
    const { status } = await site.read(`/video/${video.id}`);
    expectSame(`the page of ${video.id}`, status, video.isPublic ? 200 : 404);
  }
}

async function compareList(
  name: string,
  model: VisibilityModel,
  site: VisibilitySite,
): Promise<void> {
  expectSame(name, (await LISTS[name]!(site)).sort(), model.publicIds.sort());
}

/** Compares the cards of all videos, because that is the cheapest request that covers every video. */
async function compareSaved(model: VisibilityModel, site: VisibilitySite): Promise<void> {
  const ids = model.videos.map(({ id }) => id);
  const shown: string[] = [];
  for (let from = 0; from < ids.length; from += SAVED_BATCH_SIZE) {
    const id = ids.slice(from, from + SAVED_BATCH_SIZE);
    const { body } = await site.send(undefined, "/saved/videos", { id });
    shown.push(...(JSON.parse(body) as { videos: { id: string }[] }).videos.map((card) => card.id));
  }
  expectSame("saved videos", shown.sort(), model.publicIds.sort());
}

/** Compares a video's page, its files, its title on the report form, and its preview links. */
async function compareVideo(
  video: ModelVideo,
  model: VisibilityModel,
  site: VisibilitySite,
): Promise<void> {
  const { id, row, trash, isPublic, replaced, links } = video;
  const found = isPublic ? 200 : 404;
  // This requests the data for the site's script, because rendering a page takes ten times as long.
  expectSame(`/video/${id}`, (await site.read(`/video/${id}.data`)).status, found);
  const files = [row?.file, trash?.file].flatMap((file) => file ?? []);
  for (const file of files) {
    const isOpen = isPublic && file === row?.file;
    const { status } = await site.read(`/media/videos/${file}`);
    expectSame(`the file ${file} of ${id}`, status, isOpen ? 200 : 404);
  }
  for (const file of replaced.slice(-2)) {
    const { status, body } = await site.read(`/media/videos/${file}`);
    if (!isPublic) expectSame(`the replaced file ${file} of ${id}`, status, 404);
    else if (status === 200) {
      const current = await site.read(`/media/videos/${row!.file}`);
      expectSame(`the replaced file ${file} of ${id}`, body, current.body);
    }
  }
  const report = await site.read(`/report.data?video=${id}&kind=other`);
  const isNamed = report.body.includes(`${WORD} ${id}`);
  expectSame(`the title of ${id} on the report form`, isNamed, isPublic);
  for (const { token, maker } of links.slice(-2)) {
    const isHidden = row?.status === "hidden" && row.publishAt === null;
    const works = row && video.holds.size === 0 && !isHidden && !model.blocked.has(maker);
    const { status } = await site.read(`/preview/${token}.data`);
    const shown = row?.status === "published" ? 202 : 200;
    expectSame(`a preview link of ${id}`, status, works ? shown : 404);
    const file = await site.read(`/preview/${token}/media/videos/${row?.file ?? "u/none.mp4"}`);
    expectSame(`a file of ${id} through a preview link`, file.status, works ? 200 : 404);
  }
}

/** Compares the rows, holds and urgent reports in the database. */
function compareDatabase(model: VisibilityModel, site: VisibilitySite): void {
  const causes = site.rows<{ cause: string }>(
    `SELECT video_id || ' ' || reason || '/' || source_id AS cause FROM video_holds
     WHERE video_id NOT LIKE 'other-%'`,
  );
  expectSame(
    "holds",
    causes.map(({ cause }) => cause).sort(),
    model.videos.flatMap(({ id, holds }) => [...holds].map((cause) => `${id} ${cause}`)).sort(),
  );
  const rows = site.rows<{ id: string }>(
    `SELECT id, status, publish_at AS publishAt, unpublish_at AS unpublishAt, public AS isPublic
     FROM videos WHERE id NOT LIKE 'other-%' ORDER BY id`,
  );
  const expected = model.videos.flatMap(({ id, row, isPublic }) =>
    row
      ? {
          ...{ id, status: row.status, publishAt: site.day(row.publishAt) },
          ...{ unpublishAt: site.day(row.unpublishAt), isPublic: Number(isPublic) },
        }
      : [],
  );
  expectSame(
    "rows",
    rows,
    expected.sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
  const trash = site.rows<{ id: string }>("SELECT id FROM deleted_videos ORDER BY id");
  const deleted = model.videos.filter((video) => video.trash).map(({ id }) => id);
  expectSame(
    "trash",
    trash.map(({ id }) => id),
    deleted.sort(),
  );
  const reports = site.rows<{ id: string; state: string }>(
    "SELECT id, state FROM reports ORDER BY id",
  );
  const states = model.reports.map(({ id, state }) => ({ id, state }));
  expectSame(
    "reports",
    reports,
    states.sort((a, b) => (a.id < b.id ? -1 : 1)),
  );
  expectSame("public videos with an urgent report", findUrgent(model, site), []);
}

/**
 * Returns the public videos that are part of an open urgent report, except for videos that the report had no reason to
 * hide.
 */
function findUrgent(model: VisibilityModel, site: VisibilitySite): string[] {
  const found = site.rows<{ report: string; video: string }>(
    `SELECT report_id AS report, video_id AS video FROM report_videos AS named
       JOIN reports ON reports.id = report_id JOIN videos ON videos.id = video_id
     WHERE public AND state <> 'closed' AND named.decision IS NULL
       AND kind IN (SELECT value FROM json_each(?)) AND NOT EXISTS
         (SELECT 1 FROM report_videos AS looked JOIN reports AS other ON other.id = looked.report_id
          WHERE looked.video_id = named.video_id AND other.kind = reports.kind
            AND looked.decision IN ('keep', 'restore')
            AND (looked.file_changed_at IS NULL OR looked.decided_at > looked.file_changed_at))`,
    JSON.stringify(URGENT),
  );
  return found.flatMap(({ report, video }) => {
    const isSpared = model.reports.find(({ id }) => id === report)?.spared.has(video);
    return isSpared ? [] : `${video} by ${report}`;
  });
}
