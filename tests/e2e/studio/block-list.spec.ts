import { expect, signIn, test } from "../site";

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

test("the block list is imported and exported, and an entry is removed and restored", async ({
  page,
  site,
}) => {
  site.database().exec("DELETE FROM blocked_videos");
  await signIn(page);
  await page.goto("/admin/block-list");
  await expect(page.getByText("No blocked videos yet.")).toBeVisible();
  const file = page.getByLabel("Block list or digest list");
  await file.setInputFiles(list("{}"));
  await page.getByRole("button", { name: "Import list" }).press("Enter");
  await expect(page.getByText(/Line 2 is not a valid block list entry/).first()).toBeVisible();
  await file.setInputFiles(list(line(1), line(2)));
  await page.getByRole("button", { name: "Import list" }).press("Enter");
  await expect(page.getByText("2 videos that can’t be uploaded again.")).toBeVisible();
  const videos = page.getByRole("list", { name: "Blocked videos" }).getByRole("listitem");
  await expect(videos).toHaveCount(2);
  await expect(videos.first()).toContainText("Shown without consent");
  await expect(videos.first()).toContainText("Same file only");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export list" }).click();
  expect((await download).suggestedFilename()).toBe("block-list.jsonl");
  await videos
    .first()
    .getByRole("link", { name: /^Remove / })
    .press("Enter");
  const dialog = page.getByRole("dialog", { name: /^Remove .* from the block list\?$/ });
  await dialog.getByRole("button", { name: "Remove" }).press("Enter");
  await expect(videos).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await expect(videos).toHaveCount(2);
});
