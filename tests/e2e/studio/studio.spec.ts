import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import type { SiteProcess } from "../../site-process";
import { holdRequests } from "../hold-requests";
import { expect, expectNoViolations, signIn, signInByForm, test } from "../site";

const MANAGE = "/admin?tab=manage";
const row = (page: Page, title: string) => page.getByRole("row").filter({ hasText: title });
const endSessions = (site: SiteProcess) => site.database().exec("DELETE FROM sessions");
const comeBack = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event("focus")));

function addVideos(site: SiteProcess, count: number) {
  for (let n = 0; n < count; n += 1) site.addVideo({ id: `v${n}`, title: `Video ${n}` });
}

/** Responds to the browser's confirmation dialogs and collects their messages. */
function respondToDialogs(page: Page, reply: { yes: boolean }): string[] {
  const messages: string[] = [];
  page.on("dialog", async (dialog) => {
    messages.push(dialog.message());
    await (reply.yes ? dialog.accept() : dialog.dismiss());
  });
  return messages;
}

test("scrolls an error in the last row into view, and removes it once a change succeeds", async ({
  page,
  site,
}) => {
  addVideos(site, 20);
  await signIn(page);
  await page.goto(MANAGE);
  const last = page.getByRole("row").last();
  await last.scrollIntoViewIfNeeded();
  site
    .database()
    .exec(
      "CREATE TRIGGER stuck BEFORE UPDATE OF status ON videos BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
  try {
    await last.getByRole("button", { name: /^Hide/ }).click();
    const toast = page.getByRole("alert");
    await expect(toast).toContainText("Error");
    await expect(toast).toContainText("Failed to update video visibility.");
    await expect(toast).toBeInViewport();
  } finally {
    site.database().exec("DROP TRIGGER stuck");
  }
  await last.getByRole("button", { name: /^Hide/ }).click();
  await expect(page.getByText("Video is now hidden on the website.")).toBeInViewport();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("keeps the focus and the caret across hydration", async ({ page, site }) => {
  addVideos(site, 1);
  await signIn(page);
  const release = await holdRequests(page, /\.js$/);
  await page.goto(`${MANAGE}&edit=v0`, { waitUntil: "commit" });
  const title = page.getByRole("dialog").getByLabel("Title");
  await title.press("End");
  await page.keyboard.type(" at");
  await release();
  await expect(page.locator("dialog:modal")).toBeVisible();
  await page.keyboard.type(" night");
  await expect(title).toHaveValue("Video 0 at night");
});

test("shows the sign-in prompt on the upload page after the user signs out elsewhere, and restores typed text", async ({
  page,
  site,
}) => {
  await signIn(page);
  await page.goto("/admin");
  await page.getByLabel("Title").fill("Half a title");
  await page.getByLabel("Description").fill("Long thoughts");
  await page.getByLabel("Category").selectOption("english");
  endSessions(site);
  await comeBack(page);
  const prompt = page.getByRole("link", { name: "Sign In to Upload" });
  await expect(prompt).toHaveAttribute("href", "/auth");
  await expect(page.getByLabel("Title")).toHaveValue("Half a title");
  await expect(page).toHaveURL("/admin");
  await expectNoViolations(page);
  await prompt.click();
  await expect(page).toHaveURL("/auth");
  await signInByForm(page);
  await page.goto("/admin");
  await expect(page.getByLabel("Title")).toHaveValue("Half a title");
  await expect(page.getByLabel("Description")).toHaveValue("Long thoughts");
  await expect(page.getByLabel("Category")).toHaveValue("english");
  await expect(prompt).toHaveCount(0);
});

test("shows the sign-in prompt if the session ends before an upload, and continues the upload once the user has signed in", async ({
  page,
  site,
}) => {
  await signIn(page);
  await page.goto("/admin");
  await page.locator("input[name=video]").setInputFiles(mp4Clip(5));
  await page.getByLabel("Title").fill("Kept");
  await page.getByLabel("Description").fill("Kept too");
  await page.getByLabel("Category").selectOption("desi");
  endSessions(site);
  await page.getByRole("button", { name: "Upload Video" }).click();
  await expect(
    page
      .getByRole("status")
      .or(page.getByRole("alert"))
      .getByText("You must be logged in to upload videos.")
      .first(),
  ).toBeVisible();
  await expect(page.getByRole("link", { name: "Sign In to Upload" })).toBeVisible();
  await expect(page.getByLabel("Title")).toHaveValue("Kept");

  await signIn(page);
  await comeBack(page);
  await expect(page.getByRole("link", { name: "Sign In to Upload" })).toHaveCount(0);
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByText("Video uploaded and published successfully.")).toBeVisible();
});

test("warns about an unsaved edit, however the dialog is closed", async ({ page, site }) => {
  addVideos(site, 1);
  await signIn(page);
  await page.goto(MANAGE);
  const reply = { yes: false };
  const messages = respondToDialogs(page, reply);
  await page.getByRole("link", { name: "Edit Video 0" }).click();
  const dialog = page.getByRole("dialog");
  // There is no warning if nothing was typed.
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await page.getByRole("link", { name: "Edit Video 0" }).click();
  await dialog.getByLabel("Category").selectOption("premium");
  const ways = [
    () => page.keyboard.press("Escape"),
    () => page.keyboard.press("Escape"),
    () => page.mouse.click(5, 5),
    () => dialog.getByRole("link", { name: "Close" }).click(),
    () => dialog.getByRole("link", { name: "Cancel" }).click(),
    () => page.evaluate(() => history.back()),
  ];
  for (const [index, leave] of ways.entries()) {
    await leave();
    await expect.poll(() => messages.length).toBe(index + 1);
    await expect(dialog.getByLabel("Category")).toHaveValue("premium");
  }
  expect(new Set(messages)).toEqual(new Set(["You have unsaved changes. Leave anyway?"]));
  reply.yes = true;
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);

  // There is no warning after saving.
  const before = messages.length;
  await page.getByRole("link", { name: "Edit Video 0" }).click();
  await dialog.getByLabel("Title").fill("Saved");
  await dialog.getByRole("button", { name: "Update" }).click();
  await expect(row(page, "Saved")).toHaveCount(1);
  expect(messages.length).toBe(before);
});

test("warns before entered text is lost, and discards it after the user leaves the page", async ({
  page,
}) => {
  await signIn(page);
  await page.goto("/admin");
  const reply = { yes: false };
  const messages = respondToDialogs(page, reply);
  await page.getByLabel("Description").fill("Half a thought");
  await page.getByRole("link", { name: "Manage Videos" }).click();
  await expect.poll(() => messages.length).toBe(1);
  await expect(page.getByLabel("Description")).toHaveValue("Half a thought");
  reply.yes = true;
  await page.getByRole("link", { name: "Manage Videos" }).click();
  await expect(page).toHaveURL(/tab=manage/);
  await page.getByRole("link", { name: "Upload Video" }).click();
  await expect(page.getByLabel("Description")).toHaveValue("");
  await page.getByRole("link", { name: "Manage Videos" }).click();
  await expect(page).toHaveURL(/tab=manage/);
  expect(messages).toHaveLength(2);
});

test("shows the video, errors and an expired session in the edit dialog, and keeps the input", async ({
  page,
  site,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  addVideos(site, 1);
  site.database().exec("UPDATE videos SET status = 'hidden'");
  await signIn(page);
  await page.goto(`${MANAGE}&edit=v0`);
  const dialog = page.getByRole("dialog");
  const update = dialog.getByRole("button", { name: "Update" });
  await test.step("the video's image, status and public URL are shown", async () => {
    await expect(dialog.getByAltText("Current thumbnail")).toBeVisible();
    await expect(dialog.getByText("PNG, JPG, GIF up to 10MB")).toBeVisible();
    await expect(dialog.getByText("hidden", { exact: true })).toBeVisible();
    await expect(dialog.getByText("Link after publishing")).toBeVisible();
    const url = `${site.url}/video/v0`;
    await expect(dialog.getByRole("link", { name: url })).toHaveAttribute("href", "/video/v0");
    await dialog.getByRole("button", { name: "Copy link" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url);
  });
  await test.step("an error is shown above the dialog", async () => {
    await dialog.getByLabel("Duration").fill("soon");
    await update.click();
    const toast = page
      .getByRole("region", { name: "Notifications" })
      .getByText("Failed to update video.");
    await expect(toast).toBeInViewport();
    const isOnTop = await toast.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      // Everything outside the modal dialog is inert, so a hit test would ignore the toast, but it is still rendered.
      return (
        element.closest("section")?.matches(":popover-open") &&
        width * height > 0 &&
        left >= 0 &&
        top >= 0
      );
    });
    expect(isOnTop).toBe(true);
  });
  await page.goto(`${MANAGE}&edit=v0`);
  await test.step("the session ends", async () => {
    await dialog.getByLabel("Title").fill("A better title");
    endSessions(site);
    await update.click();
    await expect(page.getByText("You must be logged in to edit videos.").first()).toBeVisible();
    await expect(dialog.getByRole("link", { name: "Sign In" })).toHaveAttribute("href", "/auth");
    await expect(dialog.getByLabel("Title")).toHaveValue("A better title");
    await signIn(page);
    await comeBack(page);
    await expect(dialog.getByRole("link", { name: "Sign In" })).toHaveCount(0);
    await update.click();
    await expect(row(page, "A better title")).toHaveCount(1);
  });
  await test.step("the video is deleted elsewhere", async () => {
    await page.getByRole("link", { name: "Edit A better title" }).click();
    await dialog.getByLabel("Description").fill("An hour of work");
    site.database().exec("DELETE FROM videos WHERE id = 'v0'");
    await expect(dialog).toContainText("no longer exists");
    await expect(dialog.getByLabel("Description")).toHaveValue("An hour of work");
  });
});

test("links to the admin pages, and highlights Upload only on the upload page", async ({
  page,
}) => {
  await signIn(page);
  await page.goto("/");
  const upload = page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Upload" });
  await test.step("“Loading...” is shown while the session is being checked", async () => {
    const release = await holdRequests(page, "**/admin.data*");
    await upload.click();
    await expect(page.getByText("Loading...", { exact: true })).toBeVisible();
    await release();
    await expect(page.getByRole("heading", { name: "Studio" })).toBeVisible();
    await expect(page.getByText("Loading...", { exact: true })).toHaveCount(0);
  });
  await test.step("the file field comes first, both visually and in the tab order", async () => {
    const file = page.locator("input[name=video]");
    // With JavaScript, the field is a large drop area instead of the browser's own file input.
    await expect.poll(async () => (await file.boundingBox())?.height).toBeGreaterThan(200);
    const boxes = async () => {
      const title = page.getByLabel("Title");
      return [(await file.boundingBox())!, (await title.boundingBox())!] as const;
    };
    const [drop, title] = await boxes();
    expect(drop.x + drop.width).toBeLessThan(title.x);
    await page.setViewportSize({ width: 360, height: 740 });
    const [dropOnPhone, titleOnPhone] = await boxes();
    expect(dropOnPhone.y + dropOnPhone.height).toBeLessThan(titleOnPhone.y);
    await page.setViewportSize({ width: 1_440, height: 900 });
    await file.focus();
    await page.keyboard.press("Tab");
    await expect(page.getByLabel("Title")).toBeFocused();
  });
  await expect(upload).toHaveAttribute("aria-current", "page");
  await expect(page.getByRole("heading", { level: 1 })).toContainText(/v\d+\.\d+\.\d+/);
  for (const name of ["Statistics", "Manage Videos"]) {
    await page.getByRole("navigation", { name: "Admin pages" }).getByRole("link", { name }).click();
    await expect(page.getByRole("link", { name, exact: true }).first()).toHaveAttribute(
      "aria-current",
      "page",
    );
    await expect(upload).not.toHaveAttribute("aria-current", "page");
  }
});

test("limits the bulk actions to a tenth of the screen until they are opened @phone-only", async ({
  page,
  site,
}) => {
  addVideos(site, 12);
  await signIn(page);
  await page.goto(MANAGE);
  await page.getByLabel("Select Video 3", { exact: true }).check();
  const bar = page.getByRole("form", { name: "Selected videos" });
  await expect(bar).toBeInViewport();
  const { height } = (await bar.boundingBox())!;
  expect(height).toBeLessThanOrEqual(page.viewportSize()!.height / 10);
  await bar.getByLabel("Bulk actions").selectOption("category");
  await expect(bar.getByLabel("New category")).toBeVisible();
  await expect(bar.getByRole("button", { name: "Apply" })).toBeVisible();
  await expectNoViolations(page);
});

test("changes hundreds of videos, shows a pending state, and counts the videos in a toast", async ({
  page,
  site,
}) => {
  site.database().exec(`
    INSERT INTO videos (id, title, category)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    SELECT 'many' || i, 'Video ' || i, 'desi' FROM n`);
  await signIn(page);
  await page.goto(MANAGE);
  const bar = page.getByRole("form", { name: "Selected videos" });
  await page.getByLabel("Select all videos on this page").check();
  await bar.getByLabel("Bulk actions").selectOption("hide");
  await bar.getByLabel("Select all 300 videos").check();
  await expect(bar.getByText("300 selected")).toBeVisible();

  await bar.getByRole("button", { name: "Apply" }).click();
  const preview = page.getByRole("dialog", { name: "Hide" });
  await expect(preview).toContainText("300 videos will change.");
  await expect(preview.getByRole("row")).toHaveCount(11);
  await expect(preview).toContainText("…and 290 more.");
  const release = await holdRequests(page, /\/admin\.data/);
  await preview.getByRole("button", { name: "Apply to 300 videos" }).click();
  await expect(preview.getByRole("button", { name: "Updating..." })).toBeDisabled();
  await expect(bar.getByRole("button", { name: "Updating..." })).toBeDisabled();
  await expect(bar.getByRole("status")).toHaveText("Updating 300 …");
  await release();
  await expect(page.getByText("Hid 300 videos.")).toBeInViewport();
  await expect(bar).toBeHidden();
  const hidden = site.database().prepare("SELECT count(*) FROM videos WHERE status = 'hidden'");
  expect(hidden.pluck().get()).toBe(300);

  await page.getByLabel("Select all videos on this page").check();
  await bar.getByLabel("Bulk actions").selectOption("delete");
  await bar.getByLabel("Select all 300 videos").check();
  await bar.getByRole("button", { name: "Apply" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 300 videos?" });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("Deleted 300 videos.")).toBeInViewport();
  const toast = page.getByRole("status").filter({ hasText: "Videos Deleted" });
  await toast.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Videos restored")).toBeInViewport();
  expect(hidden.pluck().get()).toBe(300);
});
