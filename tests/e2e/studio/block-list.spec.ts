import { expect, expectNoViolations, signIn, test } from "../site";

/** The page of the block list: empty, imported, exported, removed; and films that could not be compared. */

const digest = (n: number) => n.toString(16).padStart(64, "0");
const line = (n: number) =>
  JSON.stringify({
    ...{ reason: "consent", blocked: "2026-11-01T10:00:00.000Z", sha256: [digest(n)] },
    ...{ first: 0, step: 0, frames: "" },
  });
const list = (...lines: string[]) => ({
  name: "block-list.jsonl",
  mimeType: "application/jsonl",
  buffer: Buffer.from(['{"format":"afterdark-block-list","version":1}', ...lines].join("\n")),
});

test("the block list is imported, exported, and a film taken off it", async ({ page, site }) => {
  site.database().exec("DELETE FROM blocked_films");
  await signIn(page);
  await page.goto("/admin/block-list");
  await expect(page.getByText("No film is blocked.")).toBeVisible();
  const file = page.getByLabel("Block list of another site");
  await file.setInputFiles(list("{}"));
  await page.getByRole("button", { name: "Import a list" }).press("Enter");
  await expect(page.getByText(/Line 2 is not a film of a block list/).first()).toBeVisible();
  await file.setInputFiles(list(line(1), line(2)));
  await page.getByRole("button", { name: "Import a list" }).press("Enter");
  await expect(page.getByText("2 films that may not come back.")).toBeVisible();
  const films = page.getByRole("list", { name: "Blocked films" }).getByRole("listitem");
  await expect(films).toHaveCount(2);
  await expect(films.first()).toContainText("Shown without consent");
  await expect(films.first()).toContainText("The same file alone");
  await expectNoViolations(page);
  for (const width of [360, 768]) {
    await page.setViewportSize({ width, height: 740 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(width);
  }
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export the list" }).click();
  expect((await download).suggestedFilename()).toBe("block-list.jsonl");
  await films
    .first()
    .getByRole("button", { name: /^Remove film/ })
    .press("Enter");
  await expect(films).toHaveCount(1);
});

test("a film that could not be compared is published after looking", async ({ page, site }) => {
  const look = async () => {
    const { clientWidth, scrollWidth } = await page.evaluate(() => {
      const { clientWidth, scrollWidth } = document.documentElement;
      return { clientWidth, scrollWidth };
    });
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
    await expectNoViolations(page);
  };
  const id = site.addVideo({ title: "A quiet street", status: "review" });
  const fail = site.database().prepare(
    `INSERT INTO jobs (video_id, kind, priority, state, reason)
     VALUES (?, 'fingerprint', 33, 'failed', 'The file is damaged.')`,
  );
  fail.run(id);
  site
    .database()
    .prepare("INSERT INTO video_holds VALUES (?, 'comparing', '', '2026-01-01', 1)")
    .run(id);
  await signIn(page);
  await page.goto("/admin?tab=manage");
  await expect(page.getByText(/could not be compared .*: The file is damaged\./)).toBeVisible();
  await look();
  await page.goto("/admin/block-list");
  await look();
  await page.getByRole("link", { name: "A quiet street" }).click();
  await expect(page.getByText("Could not be compared: The file is damaged.")).toBeVisible();
  await look();
  await page.getByRole("button", { name: "Compare again" }).press("Enter");
  await expect(
    page.getByRole("heading", { name: "Not compared with removed films yet" }),
  ).toBeVisible();
  await expect(page.getByRole("button", { name: "Compare again" })).toHaveCount(0);
  await look();
  await page.getByRole("button", { name: "Publish after looking" }).press("Enter");
  await expect(page.getByText("It is published.")).toBeVisible();
  expect(site.database().prepare("SELECT status FROM videos WHERE id = ?").pluck().get(id)).toBe(
    "published",
  );
});
