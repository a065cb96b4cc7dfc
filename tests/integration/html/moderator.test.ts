import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addOpenReport } from "../../reported-videos";
import { signInTo } from "../../site-client";
import { useStudio } from "./studio-site";

const { site, visitor } = useStudio(["videos", "video_holds", "reports", "deleted_videos"]);

const EMAIL = "moderator@example.com";
let cookie: string;
beforeAll(async () => {
  const moderator = site.addUser({ id: "moderator", email: EMAIL, role: "moderator" });
  cookie = await signInTo(site, moderator);
});
beforeEach(() => visitor.setCookie(cookie));

const row = (sql: string, ...values: unknown[]) =>
  site
    .database()
    .prepare(sql)
    .get(...values);

function addReported(id: string): void {
  site.addVideo({
    id,
    ...{ title: "A reported video", status: "hidden" },
    video_url: site.addFile("videos", `${id}/1.mp4`, "bytes"),
  });
  addOpenReport(site.database(), { id: "r", kind: "other", videoId: id });
}

async function decide(decision: string): Promise<void> {
  const choice = visitor.in().getByRole("radio", { name: (name) => name.startsWith(decision) });
  (choice as HTMLInputElement).checked = true;
  visitor.fill("Reason", "Because.");
  await visitor.press("Decide");
}

const linksOf = (name: string) =>
  visitor
    .in(visitor.in().getAllByRole("navigation", { name })[0])
    .getAllByRole("link")
    .map(({ textContent }) => textContent?.replace(/\d.*/, ""));
const formsOfPage = () => [...visitor.document.querySelectorAll("main form")];
const statusOf = async (url: string) => {
  const response = await visitor.get(url);
  await response.body?.cancel();
  return response.status;
};

describe("a moderator", () => {
  beforeEach(() => addReported("reported"));

  it("sees only links to pages that moderators can access", async () => {
    const broken: string[] = [];
    for (const page of [
      "/admin/reports",
      "/admin/reports/r",
      "/admin/review/reported",
      "/admin/account",
      "/admin/terms",
      "/admin/tokens",
    ]) {
      await visitor.open(page);
      expect(visitor.status, page).toBe(200);
      expect(linksOf("Admin pages"), page).toEqual(["Reports", "Account"]);
      const links = [...visitor.document.querySelectorAll("a")].map((link) => new URL(link.href));
      for (const { origin, pathname, search } of links) {
        const isOfSite = origin === new URL(site.url).origin && pathname !== "/saved";
        if (!isOfSite) continue;
        const status = await statusOf(pathname + search);
        if (status !== 200) broken.push(`${page}: ${status} ${pathname}${search}`);
      }
    }
    expect(broken).toEqual([]);
    await visitor.open("/admin/reports");
    expect(linksOf("Main")).toContain("Reports");
    expect(linksOf("Main")).not.toContain("Upload");
    expect(linksOf("Trust and safety")).toEqual(["Reports", "Transparency", "Terms"]);
  });

  it("removes a reported video and restores it", async () => {
    await visitor.open("/admin/reports");
    await visitor.follow("Other");
    await decide("Remove");
    expect(visitor.text).toContain(`${EMAIL} removed the video`);
    expect(row("SELECT deleted_by FROM deleted_videos WHERE id = 'reported'")).toEqual({
      deleted_by: "moderator",
    });
    expect(row("SELECT count(*) AS videos FROM blocked_videos")).toEqual({ videos: 1 });
    await decide("Restore");
    expect(visitor.text).toContain(`${EMAIL} restored the video`);
    expect(row("SELECT status FROM videos WHERE id = 'reported'")).toEqual({ status: "hidden" });
    expect(row("SELECT count(*) AS videos FROM blocked_videos")).toEqual({ videos: 0 });
  });

  it("can view a reported video and its notes, but can't change them", async () => {
    site.database().exec(
      `INSERT INTO review_notes (video_id, text, created_at)
         VALUES ('reported', 'A note of an editor', '2026-01-01T00:00:00.000Z')`,
    );
    await visitor.open("/admin/reports/r");
    await visitor.follow("A reported video");
    expect(visitor.address).toBe("/admin/review/reported");
    expect(visitor.text).toContain("A note of an editor");
    expect(visitor.text).not.toContain("Preview links");
    expect(formsOfPage()).toEqual([]);
    expect(await statusOf("/media/videos/reported/1.mp4")).toBe(200);
  });

  it("can't access the review page or the files of an unreported video", async () => {
    const video_url = site.addFile("videos", "draft/1.mp4", "bytes");
    site.addVideo({ id: "draft", status: "review", video_url });
    await visitor.open("/admin/reports");
    expect(await statusOf("/admin/review/draft")).toBe(404);
    expect(await statusOf(video_url)).toBe(404);
    site.database().exec("INSERT INTO report_videos (report_id, video_id) VALUES ('r', 'draft')");
    expect(await statusOf("/admin/review/draft")).toBe(200);
    expect(await statusOf(video_url)).toBe(200);
  });

  it("is not offered API tokens", async () => {
    await visitor.open("/admin/account");
    expect(visitor.text).not.toContain("let other software act on your behalf");
    await visitor.open("/admin/tokens");
    expect(visitor.text).toContain("Your account can’t create tokens or use the API.");
    expect(formsOfPage()).toEqual([]);
  });
});

it("lets an owner invite a moderator, and change a moderator's role", async () => {
  await visitor.setCookie(await signInTo(site));
  await visitor.open("/admin/users");
  visitor.fill("Role", "Moderator");
  visitor.fill("Email", "invited@example.com");
  await visitor.press("Invite user");
  expect(visitor.text).toContain("Send this link to invited@example.com");
  expect(row("SELECT role FROM invitations WHERE email = 'invited@example.com'")).toEqual({
    role: "moderator",
  });
  visitor.fill(`Role of ${EMAIL}`, "Editor");
  await visitor.press(`Set the role of ${EMAIL}`);
  expect(row("SELECT role FROM users WHERE id = 'moderator'")).toEqual({ role: "editor" });
});
