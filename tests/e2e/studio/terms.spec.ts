import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import type { SiteProcess } from "../../site-process";
import { expect, expectNoViolations, signIn, test } from "../site";

/** Versions are never deleted, so each test goes on from what there is. */
function writeTerms(site: SiteProcess, text: string): number {
  const insert = site.database().prepare(
    `INSERT INTO upload_terms (version, text, created_at)
     SELECT coalesce(max(version), 0) + 1, ?, '2026-01-01T00:00:00.000Z' FROM upload_terms
     RETURNING version`,
  );
  return insert.pluck().get(text) as number;
}

function ask(site: SiteProcess, isRequired: boolean): void {
  site
    .database()
    .prepare("UPDATE upload_terms_state SET required_since = ?")
    .run(isRequired ? "2026-01-01T00:00:00.000Z" : null);
}

// Other files share the site, and upload without terms.
test.afterEach(({ site }) => ask(site, false));

const accepted = (site: SiteProcess) =>
  site
    .database()
    .prepare(
      `SELECT version, title FROM accepted_terms JOIN videos ON videos.id = video_id
       ORDER BY accepted_terms.id`,
    )
    .all();
const box = (page: Page, version: number) =>
  page.getByRole("checkbox", { name: `I accept the uploaders' terms, version ${version}.` });

async function fill(page: Page, title: string): Promise<void> {
  await page.getByLabel("Title").fill(title);
  await page.getByLabel("Description").fill("Along the river.");
  await page.getByLabel("Category").selectOption("desi");
  await page.locator("input[name=video]").setInputFiles(mp4Clip(5));
}
const scrollTop = (page: Page) => page.evaluate(() => window.scrollY);
const submit = (page: Page) => page.getByRole("button", { name: "Upload Video" });

test("an owner writes the terms and has every upload accept them, by keyboard", async ({
  page,
  site,
}) => {
  const before = writeTerms(site, "What was before.");
  await signIn(page);
  await page.goto("/admin/terms");
  await expect(page.getByText("No upload is asked to accept them.")).toBeVisible();
  await expect(page.getByLabel("Text")).toHaveValue("What was before.");
  await page.getByLabel("Text").fill("Everybody shown is 18 or older.\n\nAnd agreed.");
  await page.getByRole("button", { name: `Save as version ${before + 1}` }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText(`Version ${before + 1} is saved.`)).toBeVisible();
  await page.getByRole("button", { name: "Have every upload accept them" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText(`Every upload has to accept version ${before + 1}.`)).toBeVisible();

  await page.getByRole("link", { name: `Version ${before}`, exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("This is an earlier version.")).toBeVisible();
  await expect(page.getByRole("group", { name: `Uploaders' terms, version ${before}` })).toHaveText(
    "What was before.",
  );
  await page.getByRole("button", { name: "Ask for it no more" }).click();
  await expect(page.getByText("No upload is asked to accept them.")).toBeVisible();
});

test("an upload accepts the terms, and once more when they changed in another tab", async ({
  page,
  site,
}, { project }) => {
  const isPhone = project.name === "phone";
  const first = writeTerms(site, "Be good.");
  ask(site, true);
  await signIn(page);
  await page.goto("/admin");
  await fill(page, "A walk");
  await submit(page).click();
  // The browser itself asks for the tick.
  await expect(box(page, first)).toBeFocused();
  await page.keyboard.press("Space");
  await expect(box(page, first)).toBeChecked();

  const second = writeTerms(site, "Be very good.");
  await submit(page).focus();
  const scrolled = await scrollTop(page);
  await page.keyboard.press("Enter");
  // The new text is open, and nothing of it is accepted yet.
  await expect(page.getByRole("group", { name: `Uploaders' terms, version ${second}` })).toHaveText(
    "Be very good.",
  );
  await expect(box(page, second)).not.toBeChecked();
  expect(accepted(site)).toEqual([]);
  await expect(page.getByRole("list", { name: "Queue" })).toContainText("Failed");
  await expect(page.getByAltText("Frame 1")).toBeVisible();
  // What comes and goes above the queue moves no text that stands beside it.
  if (isPhone) await expect(box(page, second)).toBeInViewport();
  else expect(await scrollTop(page)).toBe(scrolled);
  await box(page, second).check();
  await submit(page).click();
  await expect(page.getByText("Video uploaded and published successfully.")).toBeVisible();
  expect(accepted(site)).toEqual([{ version: second, title: "A walk" }]);
});

test("another file accepts them too, and both stand with the video", async ({ page, site }) => {
  const version = writeTerms(site, "Be good.");
  ask(site, true);
  const id = site.addVideo({ title: "Older than the terms" });
  await signIn(page);
  await page.goto(`/admin?tab=manage&edit=${id}`);
  await expect(page.getByText("No terms were accepted for it")).toBeVisible();
  await page.goto(`/admin?tab=manage&replace=${id}`);
  await page.getByLabel("Video file").setInputFiles(mp4Clip(5));
  await box(page, version).check();
  await page.getByRole("button", { name: "Replace file" }).click();
  await expect(page.getByText(/File (Received|Replaced)/)).toBeVisible();
  expect(accepted(site)).toEqual([{ version, title: "Older than the terms" }]);
  await page.goto(`/admin?tab=manage&edit=${id}`);
  await expect(page.getByRole("list", { name: "Accepted terms" })).toContainText(
    `Uploaders' terms, version ${version}, for another file, accepted by`,
  );
});

test("uploaders read the reason of a removal on the page of their account", async ({
  page,
  site,
}) => {
  const database = site.database();
  database.exec("DELETE FROM reports; DELETE FROM video_holds; DELETE FROM user_strikes");
  database.exec(
    `INSERT INTO users (id, email, password_hash, role) VALUES ('them', 'them@example.com', '', 'uploader')
     ON CONFLICT DO NOTHING`,
  );
  const id = site.addVideo({ title: "Not theirs", uploaded_by: "them" });
  database
    .prepare(
      `INSERT INTO reports (id, kind, video_id, received_at, due_at)
       VALUES ('r', 'copyright', ?, '2026-01-01T00:00:00.000Z', '2026-01-03T00:00:00.000Z')`,
    )
    .run(id);
  await signIn(page);
  await page.goto("/admin/reports/r");
  await expect(page.getByText("them@example.com has no strike.")).toBeVisible();
  await page.getByRole("radio", { name: "Remove" }).check();
  await page.getByRole("checkbox", { name: "a strike for the uploader" }).focus();
  await page.keyboard.press("Space");
  await page.getByLabel("Reason").fill("It belongs to somebody else.");
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Decide" }).click();
  await expect(page.getByText("them@example.com has 1 strike.")).toBeVisible();

  // As the uploader: it is the same browser, whose session is theirs from now on.
  database.exec(
    "UPDATE sessions SET user_id = 'them' WHERE created_at = (SELECT max(created_at) FROM sessions)",
  );
  await page.goto("/admin/account");
  const decisions = page.getByRole("list", { name: "Decisions about your videos" });
  await expect(decisions).toContainText("Not theirs");
  await expect(decisions).toContainText("A moderator has removed the video.");
  await expect(decisions).toContainText("It belongs to somebody else.");
  await expect(page.getByRole("list", { name: "Strikes" })).toContainText("somebody else");
  await expectNoViolations(page);
  await page.goto("/admin/terms");
  await expect(page.getByLabel("Text")).toHaveCount(0);
});

for (const width of [360, 1440]) {
  test(`terms fit ${width} pixels, and axe finds nothing`, async ({ page, site }) => {
    writeTerms(site, "Earlier.");
    const version = writeTerms(site, "A rather long text of what uploaders agree to. ".repeat(60));
    ask(site, true);
    await signIn(page);
    await page.setViewportSize({ width, height: 900 });
    for (const address of [
      "/admin/terms",
      `/admin/terms?version=${version - 1}`,
      "/admin",
      "/admin/import",
    ]) {
      await page.goto(address);
      for (const summary of await page.getByText("Read the uploaders' terms").all()) {
        await summary.click();
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide, address).toBeLessThanOrEqual(width);
      await expectNoViolations(page);
    }
  });
}

test("several files of the queue accept the terms by one tick", async ({ page, site }) => {
  const version = writeTerms(site, "Be good.");
  ask(site, true);
  await signIn(page);
  await page.goto("/admin");
  await page.getByLabel("Description").fill("Both.");
  await page.getByLabel("Category").selectOption("desi");
  await page.locator("input[name=video]").setInputFiles([mp4Clip(5), mp4Clip(3)]);
  await box(page, version).check();
  await page.getByRole("button", { name: "Upload 2 Videos" }).click();
  await expect.poll(() => accepted(site)).toMatchObject([{ version }, { version }]);
});
