import type { Locator } from "playwright/test";
import sharp from "sharp";
import { fill } from "../../fill-catalogue";
import { overflowOnScreens } from "../../page-layout";
import type { SiteProcess } from "../../site-process";
import { expect, expectNoViolations, signIn, test } from "../site";

const MANAGE = "/admin?tab=manage&search=video";

/** Pages that share their template with other pages. */
const SIMILAR_PAGES = ["/admin/tags?tag=evening", "/admin/videos/v3/statistics", "/admin/activity"];
const STUDIO_PAGES = [
  ...SIMILAR_PAGES,
  "/admin",
  "/admin?tab=manage",
  "/admin?tab=manage&edit=v1",
  "/admin?tab=manage&delete=v1",
  "/admin/queue",
  "/admin/trash",
  "/admin/tags",
  "/admin/import",
  "/admin/terms",
  "/admin/reports",
  "/admin/reports/r",
  "/transparency",
  "/admin/block-list",
  "/admin/users",
  "/admin/statistics",
  "/admin/account",
];

/** Adds entries to the studio's pages, such as videos with long titles, failed jobs and open reports. */
async function fillStudio(site: SiteProcess): Promise<void> {
  const database = site.database();
  database.exec("DELETE FROM reports; DELETE FROM deleted_videos; DELETE FROM blocked_videos");
  await fill(site, 12, (number) => ({
    tags: '["evening", "one take", "Averyverylongtagthatcannotbebrokenatallbyanyone"]',
    views: number * 1_000_000,
    title: number === 3 ? "Averyverylongwordthatcannotbebroken".repeat(3) : `Video ${number}`,
    unpublish_at: number === 2 ? "2099-12-30T22:30:00.000Z" : null,
  }));
  // The views are counted for today, so that the statistics charts show long numbers.
  database.exec("UPDATE videos SET views = views + 3000000, bytes = 987654321");
  const addJob = database.prepare(
    `INSERT OR REPLACE INTO jobs (video_id, kind, priority, state, progress, speed, seconds_left, reason, lease_until)
     VALUES (?, 'ladder', 1, ?, 0.5, 1.8, 3190, ?, '2099-01-01T00:00:00.000Z')`,
  );
  addJob.run("v1", "running", null);
  addJob.run("v2", "failed", "The file ends before its last frame.");
  database.exec(
    `INSERT INTO reports (id, kind, received_at, due_at)
     VALUES ('r', 'private', '2026-01-01T00:00:00.000Z', '2026-01-03T00:00:00.000Z');
     INSERT INTO report_videos (report_id, video_id) VALUES ('r', 'v3')`,
  );
  database.exec(
    `INSERT INTO users (id, email, password_hash, role, may_publish)
     VALUES ('uploader', 'uploader@example.com', '', 'uploader', 1) ON CONFLICT DO NOTHING`,
  );
  const addTerms = database.prepare(
    `INSERT INTO upload_terms (version, text, created_at)
     SELECT coalesce(max(version), 0) + 1, ?, '2026-01-01T00:00:00.000Z' FROM upload_terms`,
  );
  addTerms.run("Earlier.");
  addTerms.run("A rather long text of what uploaders agree to. ".repeat(60));
  database.exec("UPDATE upload_terms_state SET required_since = '2026-01-01T00:00:00.000Z'");
}

// Other test files use the same site, and upload without accepting terms.
test.afterEach(({ site }) => {
  site.database().exec("UPDATE upload_terms_state SET required_since = NULL");
});

test("no studio page has accessibility violations or overflow", async ({ page, site }) => {
  test.slow();
  await fillStudio(site);
  await signIn(page);
  for (const path of STUDIO_PAGES) {
    await test.step(path, async () => {
      await page.setViewportSize({ width: 1_440, height: 900 });
      await page.goto(path);
      // Content that is collapsed at first: the terms for an upload and an uploader's strikes.
      const folded = page.getByText(/^(Read the uploaders’ terms|Strikes and block)$/);
      for (const summary of await folded.all()) await summary.click();
      if (path === "/admin?tab=manage") {
        await page.getByRole("checkbox", { name: "Select Video 1", exact: true }).check();
        await expect(page.getByText("1 selected")).toBeVisible();
      }
      if (!SIMILAR_PAGES.includes(path)) await expectNoViolations(page);
      expect(await overflowOnScreens(page)).toEqual([]);
    });
  }
});

const topOf = async (locator: Locator) => (await locator.boundingBox())?.y;

test("on phones in either orientation, the filter buttons stay in one row and counts don't wrap", async ({
  page,
  site,
}) => {
  await fill(site, 3, () => ({ views: 41_234_567 }));
  await signIn(page);
  await page.goto(MANAGE);
  const main = page.getByRole("main");
  await expect(main.getByText("Select all", { exact: true })).toBeHidden();
  for (const width of [360, 740]) {
    await page.setViewportSize({ width, height: 740 });
    const show = await topOf(main.getByRole("button", { name: "Filter", exact: true }));
    expect(await topOf(main.getByRole("link", { name: "Clear" }))).toBe(show);
    const lines = await main
      .getByText("123,703,701")
      .evaluate(
        (number) =>
          number.getClientRects()[0]!.height /
          Number.parseFloat(getComputedStyle(number).lineHeight),
      );
    expect(Math.round(lines)).toBe(1);
    await expect(main.getByText("Select all", { exact: true })).toBeVisible();
  }
});

test("the progress bar keeps its colors in forced colors mode", async ({ page, site }) => {
  await fill(site, 1);
  site
    .database()
    .prepare(
      `INSERT OR REPLACE INTO jobs (video_id, kind, priority, state, progress, lease_until)
       VALUES ('v1', 'ladder', 1, 'running', 0.5, '2099-01-01T00:00:00.000Z')`,
    )
    .run();
  await signIn(page);
  await page.goto("/admin/queue");
  // The colors at 25% and 75% of a bar that is filled to 50%.
  const colors = async () => {
    const screenshot = sharp(await page.getByRole("progressbar").screenshot());
    const { data, info } = await screenshot.raw().toBuffer({ resolveWithObject: true });
    return [0.25, 0.75].map((share) => {
      const at =
        (Math.floor(info.height / 2) * info.width + Math.floor(share * info.width)) * info.channels;
      return [...data.subarray(at, at + 3)];
    });
  };
  const usual = await colors();
  expect(usual[0]).not.toEqual(usual[1]);
  await page.emulateMedia({ forcedColors: "active" });
  expect(await colors()).toEqual(usual);
});
