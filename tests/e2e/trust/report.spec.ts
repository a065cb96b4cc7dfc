import type { Page } from "playwright/test";
import { fill } from "../../fill-catalogue";
import { expect, expectNoViolations, test } from "../site";

// Each test uses its own IP address, because the limits apply per IP address.
let address = 0;
test.use({ siteEnvironment: { PUBLIC_URL: "http://videos.example" } });
test.beforeEach(async ({ page, site }) => {
  site.database().exec("DELETE FROM video_holds");
  address += 1;
  const from = `10.${test.info().workerIndex}.0.${address}`;
  await page.setExtraHTTPHeaders({ "X-Forwarded-For": from });
});

const statement = (page: Page) => page.getByRole("checkbox");
const sendButton = (page: Page) => page.getByRole("button", { name: "Send report" });

async function fitsThePage(page: Page): Promise<void> {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect(scroll).toBeLessThanOrEqual(client);
}

test("a report can be sent by keyboard, and the report pages have no accessibility violations", async ({
  page,
  site,
}) => {
  await fill(site, 2);
  await page.goto("/report?video=v1", { waitUntil: "networkidle" });
  await expectNoViolations(page);
  await fitsThePage(page);
  await page.getByRole("link", { name: "Shown without consent" }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/report?video=v1&kind=consent");
  await page.getByLabel("What’s wrong?").focus();
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Your name (optional)")).toBeFocused();
  await page.keyboard.press("Enter");
  // As without JavaScript, the message is next to the field, which has the focus.
  await expect(page.getByText("Please describe the problem in a sentence.")).toBeVisible();
  await expect(page.getByLabel("What’s wrong?")).toBeFocused();
  await expectNoViolations(page);
  await fitsThePage(page);
  await page.keyboard.type("It shows me, and nobody asked.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(statement(page)).toBeFocused();
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Received. A moderator will review it.")).toBeVisible();
  await expectNoViolations(page);
  await fitsThePage(page);

  // The video is hidden before anyone has read the report.
  await page.goto("/video/v1");
  await expect(page.getByText("Video not found")).toBeVisible();
});

test("an open list drops a video as soon as someone reports that it may show a minor", async ({
  page,
  site,
  context,
}) => {
  await fill(site, 3);
  await page.goto("/", { waitUntil: "networkidle" });
  await expect(page.locator("main article")).toHaveCount(3);
  const other = await context.newPage();
  await other.setExtraHTTPHeaders({ "X-Forwarded-For": "10.200.0.1" });
  await other.goto("/report?video=v2&kind=under-age", { waitUntil: "networkidle" });
  await other.getByLabel("What’s wrong?").fill("Somebody shown looks like a child.");
  await statement(other).check();
  await sendButton(other).dblclick();
  await expect(other.getByText("Received. A moderator will review it.")).toBeVisible();
  await expect(page.locator("main article")).toHaveCount(2);
  expect(
    site
      .database()
      .prepare("SELECT count(*) FROM report_videos WHERE video_id = 'v2'")
      .pluck()
      .get(),
  ).toBe(1);
});

test("the form shows which videos it has found, and asks for confirmation if it hasn't found any", async ({
  page,
  site,
}) => {
  await fill(site, 2);
  await page.goto("/report?video=v1&kind=other", { waitUntil: "networkidle" });
  const status = page.getByRole("status").filter({ hasText: /./ });
  await expect(status.getByText(/^Found: /)).toHaveCount(1);
  await page
    .getByLabel("Link to the video")
    .fill("http://videos.example/video/v0\nhttp://videos.example/video/nowhere");
  await expect(status.getByText("We can’t find this video: /video/nowhere")).toBeVisible();
  await page.getByLabel("Link to the video").fill("the second video on Home");
  await expect(status.getByText(/^No video link found\./)).toBeVisible();
  await page.getByLabel("What’s wrong?").fill("The title names a person.");
  await statement(page).check();
  await sendButton(page).click();
  await expect(page.getByText("We can’t find a public video at this link.")).toBeVisible();
  await expect(page.getByLabel("Link to the video")).toBeFocused();
  await expect(page.getByLabel("Link to the video")).toHaveValue("the second video on Home");
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Send report anyway" }).click();
  await expect(page.getByText("Received. A moderator will review it.")).toBeVisible();
});
