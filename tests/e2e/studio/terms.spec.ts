import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import type { SiteProcess } from "../../site-process";
import { expect, signIn, test } from "../site";

/** Versions are never deleted, so each test adds new ones. */
function writeTerms(site: SiteProcess, text: string): number {
  const insert = site.database().prepare(
    `INSERT INTO upload_terms (version, text, created_at)
     SELECT coalesce(max(version), 0) + 1, ?, '2026-01-01T00:00:00.000Z' FROM upload_terms
     RETURNING version`,
  );
  return insert.pluck().get(text) as number;
}

function setRequired(site: SiteProcess, isRequired: boolean): void {
  site
    .database()
    .prepare("UPDATE upload_terms_state SET required_since = ?")
    .run(isRequired ? "2026-01-01T00:00:00.000Z" : null);
}

// Other test files use the same site, and upload without accepting terms.
test.afterEach(({ site }) => setRequired(site, false));

const accepted = (site: SiteProcess) =>
  site
    .database()
    .prepare(
      `SELECT version, title FROM accepted_terms JOIN videos ON videos.id = video_id
       ORDER BY accepted_terms.id`,
    )
    .all();
const box = (page: Page, version: number) =>
  page.getByRole("checkbox", { name: `I accept the uploaders’ terms, version ${version}.` });

async function fill(page: Page, title: string): Promise<void> {
  await page.getByLabel("Title").fill(title);
  await page.getByLabel("Description").fill("Along the river.");
  await page.getByLabel("Category").selectOption("desi");
  await page.locator("input[name=video]").setInputFiles(mp4Clip(5));
}
const scrollTop = (page: Page) => page.evaluate(() => window.scrollY);
const submit = (page: Page) => page.getByRole("button", { name: "Upload Video" });

test("uploaders accept the terms once for several files, and again after the terms have changed", async ({
  page,
  site,
}) => {
  const first = writeTerms(site, "Be good.");
  setRequired(site, true);
  await signIn(page);
  await page.goto("/admin");
  await fill(page, "A walk");
  await submit(page).click();
  // The browser itself enforces the required checkbox.
  await expect(box(page, first)).toBeFocused();
  await page.keyboard.press("Space");
  await expect(box(page, first)).toBeChecked();

  const second = writeTerms(site, "Be very good.");
  await submit(page).focus();
  const scrolled = await scrollTop(page);
  await page.keyboard.press("Enter");
  // The new text is expanded, but isn't accepted automatically.
  await expect(page.getByRole("group", { name: `Uploaders’ terms, version ${second}` })).toHaveText(
    "Be very good.",
  );
  await expect(box(page, second)).not.toBeChecked();
  expect(accepted(site)).toEqual([]);
  await expect(page.getByRole("list", { name: "Queue" })).toContainText("Failed");
  await expect(page.getByAltText("Frame 1")).toBeVisible();
  // The text of the terms doesn't move when messages appear above the queue.
  expect(await scrollTop(page)).toBe(scrolled);
  await box(page, second).check();
  await submit(page).click();
  await expect(page.getByText("Video uploaded and published successfully.")).toBeVisible();
  expect(accepted(site)).toEqual([{ version: second, title: "A walk" }]);

  await page.getByLabel("Description").fill("Both.");
  await page.getByLabel("Category").selectOption("desi");
  await page.locator("input[name=video]").setInputFiles([mp4Clip(3), mp4Clip(4)]);
  await box(page, second).check();
  await page.getByRole("button", { name: "Upload 2 Videos" }).click();
  await expect
    .poll(() => accepted(site))
    .toMatchObject([{ version: second }, { version: second }, { version: second }]);
});
