import { expect, it } from "vitest";
import { mp4Clip } from "../../clips";
import { textOf } from "./html-visitor";
import { useStudio } from "./studio-site";

const MANAGE = "/admin?tab=manage";

const { site, visitor } = useStudio(["videos", "performers", "video_consents"], {
  REQUIRE_CONSENT: "on",
  RECORDS_CUSTODIAN: "Robin Example, 1 High Street, Springfield",
});

const rows = () => site.database().prepare("SELECT title, status FROM videos").all();
const heading = () => textOf(visitor.in().getByRole("heading", { level: 1 }));
const isInvalid = (label: string) => visitor.field(label).getAttribute("aria-invalid") === "true";

it("publishes a video when its performer and their consent are on record", async () => {
  const id = site.addVideo({ title: "Evening by the sea", status: "review" });
  await visitor.open(MANAGE);
  expect(visitor.text).toContain("This video has no consent record yet.");

  await visitor.open("/admin/consent");
  await visitor.follow("Add performer");
  visitor.fill("Stage names", "Ann Star\nStarlet");
  visitor.fill("Legal name", "Ann Example");
  visitor.fill("Date of birth", "1850-01-01");
  visitor.fill("Checked document", "Passport");
  visitor.fill("Checked on", "2026-01-05");
  await visitor.press("Save record");
  expect(isInvalid("Date of birth")).toBe(true);
  expect(visitor.field("Legal name").value).toBe("Ann Example");
  visitor.fill("Date of birth", "1990-01-01");
  await visitor.press("Save record");
  expect(heading()).toBe("Ann Star");

  const file = Buffer.from("%PDF-1.7\nThe passport of Ann Example.\n%%EOF\n");
  visitor.attach(visitor.field("Document file"), file, "passport.pdf");
  await visitor.press("Add document");
  expect(visitor.in().getByRole("list", { name: "Documents" }).children).toHaveLength(1);
  await visitor.press("Open Proof of identity");
  expect(visitor.text).toContain("The passport of Ann Example.");

  await visitor.open(`/admin/videos/${id}/consent`);
  expect(visitor.text).toContain("Not valid");
  visitor.fill("Number of people shown", "1");
  visitor.fill("Everyone shown", "Nobody known");
  visitor.fill("Recording date", "2026-01-06");
  await visitor.press("Save consent");
  expect(isInvalid("Everyone shown")).toBe(true);
  expect(visitor.field("Recording date").value).toBe("2026-01-06");
  visitor.fill("Everyone shown", "Starlet");
  await visitor.press("Save consent");
  expect(visitor.text).toContain("Everyone shown has a verified record.");

  await visitor.open(MANAGE);
  expect(visitor.text).toContain("The consent record is complete.");
  await visitor.press("Show Evening by the sea");
  visitor.in().getByRole("button", { name: "Hide Evening by the sea" });
  expect(rows()).toEqual([{ title: "Evening by the sea", status: "published" }]);
});

it("redirects from an upload to its consent record, and then publishes the video", async () => {
  await visitor.open("/admin");
  visitor.fill("Title", "Morning in the garden");
  visitor.fill("Description", "Roses, and nobody else.");
  visitor.fill("Category", "desi");
  visitor.attach(visitor.document.querySelector<HTMLElement>("input[name=video]")!, mp4Clip(5));
  await visitor.press("Upload Video");
  expect(visitor.address).toMatch(/^\/admin\/videos\/[^/]+\/consent$/);
  expect(visitor.text).toContain("saved as a draft, because it has no");
  expect(rows()).toEqual([{ title: "Morning in the garden", status: "review" }]);

  visitor.fill("Legal basis", "Own recording");
  visitor.fill("Number of people shown", "0");
  visitor.fill("Recording date", "2026-01-06");
  await visitor.press("Save consent");
  visitor.in().getByText("Valid");
  await visitor.follow("Morning in the garden");
  await visitor.press("Publish");
  expect(rows()).toEqual([{ title: "Morning in the garden", status: "published" }]);
  await visitor.clearCookies();
  await visitor.open("/");
  await visitor.follow("Morning in the garden");
  expect(heading()).toBe("Morning in the garden");
});

it("links to the custodian of records in the footer", async () => {
  await visitor.clearCookies();
  await visitor.open("/");
  const footer = visitor.in().getByRole("contentinfo");
  await visitor.follow(visitor.in(footer).getByRole("link", { name: "Record Keeping" }));
  expect(visitor.address).toBe("/records");
  expect(visitor.text).toContain("Robin Example");
});
