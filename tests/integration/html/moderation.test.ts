import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mp4Clip } from "../../clips";
import { addOpenReport } from "../../reported-videos";
import { signInTo } from "../../site-client";
import { ADMIN } from "../../site-process";
import { textOf } from "./html-visitor";
import { useStudio } from "./studio-site";

const { site, visitor } = useStudio(["videos", "video_holds", "reports"]);

/** Returns whether a video is public, or undefined if it was deleted. */
const isPublic = (id: string) =>
  site.database().prepare("SELECT public FROM videos WHERE id = ?").pluck().get(id);
const textOfList = (name: string) => textOf(visitor.in().getByRole("list", { name }));

async function decide(decision: string, reason: string): Promise<void> {
  const choice = visitor.in().getByRole("radio", { name: (name) => name.startsWith(decision) });
  (choice as HTMLInputElement).checked = true;
  visitor.fill("Reason", reason);
  await visitor.press("Decide");
}

it("hides, keeps, removes and restores a reported video", async () => {
  const id = site.addVideo({ title: "A reported video" });
  addOpenReport(site.database(), {
    ...{ id: "late", kind: "consent", videoId: id, dueAt: "2026-01-03T00:00:00.000Z" },
  });
  addOpenReport(site.database(), { id: "other", kind: "other", videoId: id });
  await visitor.open("/admin");
  await visitor.follow("Reports 2 open, 1 overdue");
  expect(visitor.text).toContain("2 open reports");
  const [first] = visitor.in().getByRole("list", { name: "Reports" }).children;
  expect(textOf(first!)).toContain("Overdue by");
  await visitor.follow(first!.querySelector("a")!);
  expect(visitor.text).toContain("Report: Shown without consent");

  await decide("Hide now", "It may be true.");
  expect(visitor.text).toContain("hid the video");
  expect(isPublic(id)).toBe(0);
  await decide("Keep", "It is not true.");
  expect(visitor.text).toContain("kept the video");
  expect(isPublic(id)).toBe(1);
  await decide("Remove", "It is true.");
  expect(visitor.text).toContain("In the trash");
  expect(isPublic(id)).toBeUndefined();
  await decide("Restore", "It was a mistake.");
  expect(visitor.text).toContain(`${ADMIN.email} restored the video`);
  expect(isPublic(id)).toBe(1);

  await visitor.open("/transparency");
  visitor.in().getByRole("row", { name: "Reports received 2" });
});

it("gives the uploader a strike when a video is removed, and shows the uploader the reason", async () => {
  const them = site.addUser({ id: "them", email: "them@example.com", role: "uploader" });
  const id = site.addVideo({ title: "Not theirs", uploaded_by: "them" });
  addOpenReport(site.database(), { id: "r", kind: "copyright", videoId: id });
  await visitor.open("/admin/reports/r");
  expect(visitor.text).toContain("them@example.com has no strikes.");
  visitor.check("give the uploader a strike");
  await decide("Remove", "It belongs to somebody else.");
  expect(visitor.text).toContain("them@example.com has 1 strike.");

  await visitor.setCookie(await signInTo(site, them));
  await visitor.open("/admin/account");
  const decisions = textOfList("Decisions about your videos");
  expect(decisions).toContain("Not theirs");
  expect(decisions).toContain("A moderator has removed the video.");
  expect(decisions).toContain("It belongs to somebody else.");
  expect(textOfList("Strikes")).toContain("somebody else");
  await visitor.open("/admin/terms");
  expect(visitor.status).toBe(200);
  expect(visitor.in().queryByLabelText("Text")).toBeNull();
});

describe("the block list", () => {
  const digest = (n: number) => n.toString(16).padStart(64, "0");
  const video = (n: number) =>
    JSON.stringify({
      ...{ reason: "consent", blocked: "2026-11-01T10:00:00.000Z", sha256: [digest(n)] },
      ...{ first: 0, step: 0, frames: "" },
    });
  const videos = () => visitor.in().getByRole("list", { name: "Blocked videos" }).children;

  beforeEach(() => site.database().exec("DELETE FROM blocked_videos"));

  async function importList(...lines: string[]): Promise<void> {
    const list = ['{"format":"afterdark-block-list","version":1}', ...lines].join("\n");
    const field = visitor.field("Block list or digest list");
    visitor.attach(field, Buffer.from(list), "block-list.jsonl");
    await visitor.press("Import list");
  }

  it("can be imported and exported, and its entries can be removed and restored", async () => {
    await visitor.open("/admin/block-list");
    expect(visitor.text).toContain("No blocked videos yet.");
    await importList("{}");
    expect(visitor.text).toContain("Line 2 is not a valid block list entry");
    await importList(video(1), video(2));
    expect(visitor.text).toContain("2 videos that can’t be uploaded again.");
    expect([...videos()].map(textOf)).toEqual(
      Array(2).fill(expect.stringMatching(/Shown without consent.*Same file only/)),
    );

    const link = visitor.in().getByRole("link", { name: "Export list" });
    const exported = await visitor.get(link.getAttribute("href")!);
    expect(exported.headers.get("Content-Disposition")).toContain("block-list.jsonl");
    expect(await exported.text()).toContain(digest(2));

    await visitor.follow("from the block list");
    const heading = visitor
      .in()
      .getByRole("heading", { name: /^Remove .* from the block list\?$/ });
    const [name] = /Entry \d+/.exec(textOf(heading)) ?? [];
    expect(videos()).toHaveLength(2);
    await visitor.press("Remove");
    expect(visitor.text).toContain(`${name} can be uploaded again.`);
    expect(videos()).toHaveLength(1);
    await visitor.press("Undo");
    expect(videos()).toHaveLength(2);
    await visitor.follow(`Remove ${name} from the block list`);
    await visitor.press("Remove");
    await visitor.open("/admin/block-list");
    await visitor.press(`Restore ${name} to the block list`);
    expect(videos()).toHaveLength(2);
  });

  it("links to a video that couldn't be compared, which can be released after a review", async () => {
    const id = site.addVideo({ title: "A quiet street", status: "published" });
    site.database().exec(
      `INSERT INTO jobs (video_id, kind, priority, state, reason)
       VALUES ('${id}', 'fingerprint', 33, 'failed', 'The file is damaged.');
       INSERT INTO video_holds VALUES ('${id}', 'comparing', '', '2026-01-01')`,
    );
    await visitor.open("/admin?tab=manage");
    expect(visitor.text).toMatch(/couldn’t be compared .*: The file is damaged\./);
    await visitor.open("/admin/block-list");
    await visitor.follow("A quiet street");
    expect(visitor.text).toContain("The comparison failed: The file is damaged.");
    await visitor.press("Compare again");
    visitor.in().getByRole("heading", { name: "Not compared with removed videos yet" });
    expect(visitor.in().queryByRole("button", { name: "Compare again" })).toBeNull();
    await visitor.press("Publish without comparison");
    expect(visitor.text).toContain("The video is published.");
    expect(isPublic(id)).toBe(1);
  });
});

describe("the uploaders' terms", () => {
  /** Writes another version of the terms, since versions are never deleted. */
  function writeTerms(text: string): number {
    const insert = site.database().prepare(
      `INSERT INTO upload_terms (version, text, created_at)
       SELECT coalesce(max(version), 0) + 1, ?, '2026-01-01T00:00:00.000Z' FROM upload_terms
       RETURNING version`,
    );
    return insert.pluck().get(text) as number;
  }
  function requireTerms(since: string | null): void {
    site.database().prepare("UPDATE upload_terms_state SET required_since = ?").run(since);
  }
  const textOfVersion = (version: number) =>
    textOf(visitor.in().getByRole("group", { name: `Uploaders’ terms, version ${version}` }));
  const box = (version: number) =>
    visitor.field(`I accept the uploaders’ terms, version ${version}.`);
  const accepted = () =>
    site
      .database()
      .prepare("SELECT version, title FROM accepted_terms JOIN videos ON videos.id = video_id")
      .all();
  afterEach(() => requireTerms(null));

  it("can be written, required for every upload, and made optional again", async () => {
    const before = writeTerms("What was before.");
    await visitor.open("/admin/terms");
    expect(visitor.text).toContain("Uploaders don’t have to accept any terms.");
    expect(visitor.field("Text").value.trim()).toBe("What was before.");
    visitor.fill("Text", "Everybody shown is 18 or older.\n\nAnd agreed.");
    await visitor.press(`Save as version ${before + 1}`);
    expect(visitor.text).toContain(`Version ${before + 1} saved.`);
    await visitor.press("Require acceptance");
    expect(visitor.text).toContain(`Uploaders have to accept version ${before + 1}.`);

    await visitor.follow(`Version ${before}`);
    expect(visitor.text).toContain("This is an earlier version.");
    expect(textOfVersion(before)).toBe("What was before.");
    await visitor.press("Stop requiring acceptance");
    expect(visitor.text).toContain("Uploaders don’t have to accept any terms.");
  });

  it("are accepted with an upload, and have to be accepted again after a change", async () => {
    const first = writeTerms("Be good.");
    requireTerms("2026-01-01T00:00:00.000Z");
    await visitor.open("/admin");
    visitor.fill("Title", "A walk");
    visitor.fill("Description", "Along the river.");
    visitor.fill("Category", "desi");
    const input = visitor.document.querySelector<HTMLElement>("input[name=video]")!;
    visitor.attach(input, mp4Clip(5));
    await expect(visitor.press("Upload Video")).rejects.toThrow("is invalid");
    box(first).checked = true;

    const second = writeTerms("Be very good.");
    await visitor.press("Upload Video");
    expect(visitor.text).toContain(`from version ${first}, which you accepted, to version`);
    expect(visitor.text).toContain("was uploaded. Accept the terms");
    expect(textOfVersion(second)).toBe("Be very good.");
    expect(box(second).checked).toBe(false);
    expect(accepted()).toEqual([]);
    box(second).checked = true;
    await visitor.press("Upload Video");
    expect(visitor.text).toContain("Video uploaded and published successfully.");
    expect(accepted()).toEqual([{ version: second, title: "A walk" }]);
  });

  it("are accepted with a replacement file, and are shown with the video", async () => {
    const version = writeTerms("Be good.");
    requireTerms("2026-01-01T00:00:00.000Z");
    const id = site.addVideo({ title: "Older than the terms" });
    await visitor.open(`/admin?tab=manage&edit=${id}`);
    expect(visitor.text).toContain("No accepted terms on record.");
    await visitor.open(`/admin?tab=manage&replace=${id}`);
    visitor.attach(visitor.field("Video file"), mp4Clip(5));
    box(version).checked = true;
    await visitor.press("Replace file");
    expect(visitor.text).toMatch(/File (uploaded|replaced)/);
    expect(accepted()).toEqual([{ version, title: "Older than the terms" }]);
    await visitor.open(`/admin?tab=manage&edit=${id}`);
    expect(textOfList("Accepted terms")).toContain(
      `Uploaders’ terms, version ${version}, accepted for a replacement file by`,
    );
  });
});
