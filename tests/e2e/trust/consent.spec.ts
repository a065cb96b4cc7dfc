import { deflateSync } from "node:zlib";
import { mp4Clip } from "../../clips";
import { overflow } from "../../page-layout";
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

/** An image with a single gray pixel, in place of a scanned document. */
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

const videos = (site: SiteProcess) =>
  site.database().prepare("SELECT title, status FROM videos").all();

test("a video can be published, mostly by keyboard, once it has a consent record", async ({
  page,
  site,
}) => {
  const look = async () => {
    await expectNoViolations(page);
    expect(await overflow(page)).toEqual({ sideways: 0, outside: [] });
  };
  const id = site.addVideo({ title: "Evening by the sea", status: "review" });
  await signIn(page);
  await page.goto("/admin/consent");
  await page.getByRole("link", { name: "Add performer" }).click();
  await page.getByLabel("Stage names").fill("Ann Star\nStarlet");
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Legal name")).toBeFocused();
  await page.keyboard.type("Ann Example");
  await page.keyboard.press("Tab");
  await page.keyboard.type("01011850");
  await page.getByLabel("Checked document").selectOption("Passport");
  await page.getByLabel("Checked on").fill("2026-01-05");
  await page.getByRole("button", { name: "Save record" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Date of birth")).toHaveAttribute("aria-invalid", "true");
  // The entered values are kept.
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
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: /^Open Proof of identity/ }).click();
  expect((await download).suggestedFilename()).toMatch(/\.png$/);

  await page.goto(`/admin/videos/${id}/consent`);
  await expect(page.getByText("Not valid")).toBeVisible();
  await page.getByLabel("Number of people shown").fill("1");
  await page.getByLabel("Everyone shown").fill("Nobody known");
  await page.getByLabel("Recording date").fill("2026-01-06");
  await page.getByRole("button", { name: "Save consent" }).click();
  await expect(page.getByLabel("Everyone shown")).toHaveAttribute("aria-invalid", "true");
  await look();
  await page.getByLabel("Everyone shown").fill("Starlet");
  await page.getByRole("button", { name: "Save consent" }).click();
  await expect(page.getByText("Everyone shown has a verified record.")).toBeVisible();

  await page.goto("/admin?tab=manage");
  await expect(page.getByText("The consent record is complete.")).toBeVisible();
  await page.getByRole("button", { name: "Show Evening by the sea" }).click();
  await expect(page.getByRole("button", { name: "Hide Evening by the sea" })).toBeVisible();
  expect(videos(site)).toEqual([{ title: "Evening by the sea", status: "published" }]);
});

test("an upload links to its consent record, which opens without a prompt even right after the upload", async ({
  page,
  site,
}) => {
  await signIn(page);
  await page.goto("/admin");
  await page.getByLabel("Title").fill("Rain on the roof");
  await page.getByLabel("Description").fill("Roses, and nobody else.");
  await page.getByLabel("Category").selectOption("desi");
  await page.locator("input[name=video]").setInputFiles(mp4Clip(5));
  // Waits until the file is in the queue. Before that, the form would be submitted as if JavaScript were disabled.
  await expect(page.getByText("Video duration: 0:05")).toBeVisible();
  let dialogs = 0;
  page.on("dialog", (dialog) => {
    dialogs += 1;
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
  await expect(page).toHaveURL(/\/admin\/videos\/[^/]+\/consent$/);
  expect(dialogs).toBe(0);
  await expect(page.getByText("This video has no consent record yet.")).toBeVisible();
  expect(videos(site)).toEqual([{ title: "Rain on the roof", status: "review" }]);
});
