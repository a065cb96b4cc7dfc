import { deflateSync } from "node:zlib";
import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import type { SiteProcess } from "../../site-process";
import { expect, expectNoViolations, signIn, test } from "../site";

test.use({
  siteEnvironment: {
    REQUIRE_CONSENT: "on",
    RECORDS_CUSTODIAN: "Robin Example, 1 High Street, Springfield",
  },
});
test.beforeEach(({ site }) => {
  site.database().exec("DELETE FROM performers; DELETE FROM video_consents; DELETE FROM alerts");
});

/** A picture of one grey pixel, as a scanner would send a document. */
const DOCUMENT = {
  name: 'passport "of" Ann\u202efdp.png',
  mimeType: "image/png",
  buffer: png(),
};

function png(): Buffer {
  const chunk = (kind: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(kind, "latin1"), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, named, Buffer.alloc(4)]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.from([0, 128]))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const CONSENT_PAGE = /\/admin\/videos\/[^/]+\/consent$/;

async function fillUpload(page: Page, title: string): Promise<void> {
  await page.getByLabel("Title").fill(title);
  await page.getByLabel("Description").fill("Roses, and nobody else.");
  await page.getByLabel("Category").selectOption("desi");
  await page.locator("input[name=video]").setInputFiles(mp4Clip(5));
}

const videos = (site: SiteProcess) =>
  site.database().prepare("SELECT title, status FROM videos").all();

async function fits(page: Page): Promise<void> {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect(scroll).toBeLessThanOrEqual(client);
}

test("a video gets its record and can be published then", async ({ page, site }) => {
  const look = async () => {
    await fits(page);
    await expectNoViolations(page);
  };
  const id = site.addVideo({ title: "Evening by the sea", status: "review" });
  await signIn(page);
  await page.goto("/admin?tab=manage");
  await expect(page.getByText("This video has no record of consent yet.")).toBeVisible();
  await look();

  await page.goto("/admin/consent");
  await look();
  await page.getByRole("link", { name: "Add a performer" }).click();
  await page.getByLabel("Stage names").fill("Ann Star\nStarlet");
  await page.getByLabel("Legal name").fill("Ann Example");
  await page.getByLabel("Date of birth").fill("1850-01-01");
  await page.getByLabel("Document that was checked").selectOption("Passport");
  await page.getByLabel("Checked on").fill("2026-01-05");
  await page.getByRole("button", { name: "Save record" }).click();
  await expect(page.getByLabel("Date of birth")).toHaveAttribute("aria-invalid", "true");
  // What was typed is still there.
  await expect(page.getByLabel("Legal name")).toHaveValue("Ann Example");
  await look();
  await page.getByLabel("Date of birth").fill("1990-01-01");
  await page.getByRole("button", { name: "Save record" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Ann Star");

  await page.getByLabel("Document file").setInputFiles(DOCUMENT);
  await page.getByRole("button", { name: "Add document" }).click();
  const documents = page.getByRole("list", { name: "Documents" });
  await expect(documents.getByRole("listitem")).toHaveCount(1);
  await look();
  const answer = page.waitForEvent("download");
  await page.getByRole("button", { name: /^Open Proof of identity/ }).click();
  expect((await answer).suggestedFilename()).toMatch(/\.png$/);

  await page.goto(`/admin/videos/${id}/consent`);
  await expect(page.getByText("Not valid")).toBeVisible();
  await page.getByLabel("How many people are shown").fill("1");
  await page.getByLabel("Everyone shown").fill("Nobody known");
  await page.getByLabel("Day of recording").fill("2026-01-06");
  await page.getByRole("button", { name: "Save consent" }).click();
  await expect(page.getByLabel("Everyone shown")).toHaveAttribute("aria-invalid", "true");
  await look();
  await page.getByLabel("Everyone shown").fill("Starlet");
  await page.getByRole("button", { name: "Save consent" }).click();
  await expect(page.getByText("Everyone shown has a checked record.")).toBeVisible();
  await look();

  await page.goto("/admin?tab=manage");
  await expect(page.getByText("Consent is complete.")).toBeVisible();
  await page.getByRole("button", { name: "Show Evening by the sea" }).click();
  await expect(page.getByRole("button", { name: "Hide Evening by the sea" })).toBeVisible();
  expect(site.database().prepare("SELECT status FROM videos WHERE id = ?").pluck().get(id)).toBe(
    "published",
  );
});

test("an upload leads to its record, and is published once that is there", async ({
  page,
  site,
}) => {
  await signIn(page);
  await page.goto("/admin");
  await fillUpload(page, "Morning in the garden");
  // The file is in the queue: a form that is sent before is sent as without scripts.
  await expect(page.getByText("Video duration: 0:05")).toBeVisible();
  await page.getByRole("button", { name: "Upload Video" }).click();
  const queue = page.getByRole("list", { name: "Queue" });
  const link = queue.getByRole("link", { name: "Record consent for Morning in the garden" });
  await expect(link).toBeVisible();
  // The form has been emptied, so leaving asks nothing.
  await expect(page.getByLabel("Title")).toHaveValue("");
  await fits(page);
  await expectNoViolations(page);
  await link.press("Enter");
  await expect(page).toHaveURL(CONSENT_PAGE);
  await expect(page.getByText("This video has no record of consent yet.")).toBeVisible();
  expect(videos(site)).toEqual([{ title: "Morning in the garden", status: "review" }]);

  await page.getByLabel("With what right").selectOption("Own recording");
  await page.getByLabel("How many people are shown").fill("0");
  await page.getByLabel("Day of recording").fill("2026-01-06");
  await page.getByRole("button", { name: "Save consent" }).click();
  await expect(page.getByText("Valid", { exact: true })).toBeVisible();

  await page.getByRole("link", { name: "Morning in the garden" }).click();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await expect(page.getByRole("button", { name: "Hide Morning in the garden" })).toBeVisible();
  expect(videos(site)).toEqual([{ title: "Morning in the garden", status: "published" }]);
  await page.context().clearCookies();
  await page.goto("/");
  await page.getByRole("link", { name: "Morning in the garden" }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Morning in the garden");
});

test("who keeps the records stands in the foot of each page", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("contentinfo").getByRole("link", { name: "Record Keeping" }).click();
  await expect(page).toHaveURL("/records");
  await expect(page.getByText("Robin Example")).toBeVisible();
  await fits(page);
  await expectNoViolations(page);
});

test("the link to the record asks nothing, however soon it is followed", async ({ page }) => {
  await signIn(page);
  await page.goto("/admin");
  await fillUpload(page, "Rain on the roof");
  await expect(page.getByText("Video duration: 0:05")).toBeVisible();
  let asked = 0;
  page.on("dialog", (dialog) => {
    asked += 1;
    void dialog.dismiss();
  });
  await page.evaluate(() => {
    const follow = () => {
      const links = [...document.querySelectorAll("a")];
      const link = links.find(({ textContent }) => textContent === "Record consent");
      if (!link) return;
      observer.disconnect();
      link.click();
    };
    const observer = new MutationObserver(follow);
    observer.observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole("button", { name: "Upload Video" }).click();
  await expect(page).toHaveURL(CONSENT_PAGE);
  expect(asked).toBe(0);
});

test("a record is entered with the keyboard alone", async ({ page }) => {
  await signIn(page);
  await page.goto("/admin/consent/new");
  await page.getByLabel("Stage names").focus();
  await page.keyboard.type("Bea");
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Legal name")).toBeFocused();
  await page.keyboard.type("Bea Example");
  await page.keyboard.press("Tab");
  await page.keyboard.type("01011990");
  await page.getByRole("button", { name: "Save record" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Bea");
  await expect(page.getByLabel("Date of birth")).toHaveValue("1990-01-01");
});
