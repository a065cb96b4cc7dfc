import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { clip, mp4Clip, webmClip } from "../../clips";
import { publishVideo } from "../../publish-video";
import { signInTo } from "../../site-client";
import { textOf } from "./html-visitor";
import { useStudio } from "./studio-site";

const NEXT_YEAR = new Date().getUTCFullYear() + 1;
const MANAGE = "/admin?tab=manage";

const { site, visitor, session } = useStudio(["videos", "view_days"], {
  MAX_THUMBNAIL_BYTES: String(3 * 1024 * 1024),
});

type Row = Record<string, unknown>;
const rows = () =>
  site.database().prepare("SELECT * FROM videos ORDER BY created_at").all() as Row[];
const alert = () => textOf(visitor.in().getByRole("alert"));
function fillTexts(title: string): void {
  visitor.fill("Title", title);
  visitor.fill("Description", "Along the river.");
  visitor.fill("Category", "desi");
  visitor.fill("Tags", "night, river");
}

function attachVideo(file: string | Buffer): void {
  const input = visitor.document.querySelector<HTMLElement>("input[name=video]")!;
  visitor.attach(input, file, "video.mp4");
}

/** Ends the session, and creates another one to use later. */
async function endSession(): Promise<void> {
  site.database().exec("DELETE FROM sessions");
  session.cookie = await signInTo(site);
}

describe("an upload", () => {
  const upload = () => visitor.press("Upload");

  it("can be saved as a draft, and a duplicate can be published without sending the file again", async () => {
    for (const title of ["First", "Second"]) {
      await visitor.open("/admin");
      fillTexts(title);
      attachVideo(webmClip(5));
      await visitor.press("Save as Draft");
      if (title === "First") expect(visitor.text).toContain("saved as a draft");
    }
    expect(alert()).toContain("Duplicate of");
    visitor.in().getByRole("link", { name: "First" });
    await upload();
    expect(visitor.text).toContain("Video uploaded and published successfully.");
    expect(rows().map(({ title, status }) => [title, status])).toEqual([
      ["First", "review"],
      ["Second", "published"],
    ]);
  });

  it("with a truncated file is published only after the user confirms", async () => {
    const video = fs.readFileSync(mp4Clip(5));
    await visitor.open("/admin");
    fillTexts("The rest is lost");
    attachVideo(video.subarray(0, video.length * 0.6));
    await upload();
    expect(alert()).toContain("The file is incomplete");
    expect(visitor.text).toContain("Upload it anyway to publish the incomplete video");
    expect(rows()).toEqual([]);
    await upload();
    expect(visitor.text).toContain("Video uploaded and published successfully.");
    expect(rows()).toMatchObject([{ title: "The rest is lost", status: "published" }]);
  });

  it("is rejected with 400 if the session has ended, and the page asks the user to sign in and keeps the entered text", async () => {
    await visitor.open("/admin");
    fillTexts("Kept");
    attachVideo(mp4Clip(5));
    await endSession();
    await visitor.press("Upload Video");
    expect(visitor.status).toBe(400);
    expect(visitor.text).toContain("You must be logged in to upload videos.");
    const link = visitor.in().getByRole("link", { name: "Sign In to Upload" });
    expect(link.getAttribute("href")).toBe("/auth");
    expect(visitor.field("Title").value).toBe("Kept");
    expect(visitor.field("Category").value).toBe("desi");
    expect(visitor.text).not.toContain("Total Videos");
  });

  it("can be scheduled in UTC, either in the upload form or with a bulk action", async () => {
    await visitor.open("/admin");
    fillTexts("A video");
    attachVideo(mp4Clip(5));
    visitor.fill("Publish at", "2020-01-01T10:00");
    await upload();
    expect(alert()).toContain("That time is in the past.");
    expect(visitor.field("Publish at").value).toBe("2020-01-01T10:00");
    visitor.fill("Publish at", `${NEXT_YEAR}-01-01T10:00`);
    attachVideo(mp4Clip(5));
    await upload();
    expect(visitor.text).toContain("It will be published at the scheduled time.");

    await visitor.open(MANAGE);
    visitor.check("Select A video");
    const bar = visitor.in().getByRole("form", { name: "Selected videos" });
    visitor.fill("Bulk actions", "Schedule", bar);
    visitor.fill("Hide at", `${NEXT_YEAR}-02-01T10:00`, bar);
    await visitor.press(visitor.in(bar).getByRole("button", { name: "Apply" }));
    await visitor.press("Apply to 1 video");
    expect(visitor.text).toContain("Scheduled 1 video.");
    expect(rows()).toMatchObject([
      {
        publish_at: `${NEXT_YEAR}-01-01T10:00:00.000Z`,
        unpublish_at: `${NEXT_YEAR}-02-01T10:00:00.000Z`,
      },
    ]);
  });
});

describe("the video list", () => {
  it("lets admins schedule a video in UTC, and shows only one error if the time is in the past", async () => {
    site.addVideo({ id: "v", title: "A video" });
    await visitor.open(MANAGE);
    await visitor.follow("Schedule A video");
    const dialog = () => visitor.in().getByRole("dialog", { name: "Schedule video" });
    expect(visitor.in(dialog()).queryByLabelText("Publish at", { exact: false })).toBeNull();
    visitor.fill("Hide at", "2020-01-01T10:00", dialog());
    await visitor.press("Save schedule");
    expect(visitor.in().getAllByText("That time is in the past.", { exact: false })).toHaveLength(
      1,
    );
    expect(visitor.in().getAllByText("Failed to schedule video.")).toHaveLength(1);
    visitor.fill("Hide at", `${NEXT_YEAR}-06-01T10:00`, dialog());
    await visitor.press("Save schedule");
    const row = visitor.in().getAllByRole("row").map(textOf);
    expect(row.join()).toContain(`Hides Jun 1, ${NEXT_YEAR}, 10:00 AM UTC`);
  });

  it("restores a deleted video when Undo is pressed, and shows an error if a bulk action changes nothing", async () => {
    site.addVideo({ id: "v0", title: "Video 0" });
    await visitor.open(`${MANAGE}&delete=v0`);
    const dialog = visitor.in().getByRole("dialog");
    await visitor.press(visitor.in(dialog).getByRole("button", { name: "Delete" }));
    expect(rows()).toEqual([]);
    await visitor.press("Undo");
    expect(rows()).toMatchObject([{ title: "Video 0" }]);
    await visitor.press("Apply");
    expect(alert()).toContain("No videos were changed.");
  });

  it("lets admins add captions and a thumbnail, and remove the captions", async () => {
    const id = publishVideo(site, { thumbnail_url: null });
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "captions-"));
    const captions = path.join(folder, "added.srt");
    fs.writeFileSync(captions, "1\n00:00:01,000 --> 00:00:03,000\nGood evening\n");
    await visitor.open(`/admin?tab=manage&edit=${id}`);
    visitor.attach(visitor.field("Add captions"), captions);
    visitor.fill("Caption language", "Hindi");
    const still = clip("jpg", ["-ss", "1", "-i", mp4Clip(5), "-frames:v", "1"]);
    visitor.attach(visitor.document.querySelector<HTMLElement>("input[name=thumbnail]")!, still);
    await visitor.press("Update");
    fs.rmSync(folder, { recursive: true });
    expect(visitor.text).toContain("Video has been updated successfully.");
    expect(rows()).toMatchObject([{ thumbnail_url: expect.stringMatching(/\.webp$/) }]);

    await visitor.open(`/video/${id}`);
    const track = visitor.document.querySelector("video > track")!;
    expect(track.getAttribute("label")).toBe("Hindi");
    const response = await visitor.get(track.getAttribute("src")!);
    expect(response.headers.get("Content-Type")).toBe("text/vtt; charset=utf-8");
    expect(await response.text()).toContain("Good evening");

    await visitor.open(`/admin?tab=manage&edit=${id}`);
    visitor.check("Remove Hindi");
    await visitor.press("Update");
    expect(rows()).toMatchObject([{ captions: "[]" }]);
  });
});

it("shows the configured thumbnail size limit in the edit dialog", async () => {
  site.addVideo({ id: "v", title: "A video" });
  await visitor.open(`${MANAGE}&edit=v`);
  const dialog = visitor.in().getByRole("dialog");
  expect(textOf(dialog)).toContain("PNG, JPG, GIF up to 3MB");
});

it("labels the axis of each view chart", async () => {
  site.addVideo({ id: "v", title: "A video" });
  const today = new Date().toISOString().slice(0, 10);
  site.database().prepare("INSERT INTO view_days VALUES ('v', ?, 37)").run(today);
  await visitor.open("/admin/statistics");
  const axisOf = (chart: string, direction: string) => {
    const figures = visitor.in().getAllByRole("figure");
    const figure = figures.find((each) => textOf(each).includes(chart))!;
    return [...figure.querySelectorAll(`[data-axis=${direction}] span`)].map(textOf);
  };
  expect(axisOf("Views by day", "up")).toEqual(["0", "10", "20", "30", "40"]);
  expect(axisOf("Views by video", "right")).toEqual(["0", "10", "20", "30", "40"]);
});

it("lets users sign in and send a form again if their session has ended", async () => {
  await visitor.open("/admin/series");
  visitor.fill("New series", "Nights & days");
  await endSession();
  await visitor.press("Create series");
  expect(alert()).toContain("You must be logged in to do this.");
  expect(textOf(visitor.in().getByRole("definition"))).toBe("Nights & days");
  await visitor.setCookie(session.cookie);
  await visitor.press("Send again");
  expect(textOf(visitor.in().getByRole("heading", { level: 1 }))).toBe("Nights & days");
});

it("gives an uploader a strike, withdraws the strike, and blocks and reactivates the account", async () => {
  const email = "uploader@example.com";
  site.addUser({ id: "u", email, role: "uploader", may_publish: 1 });
  site.addVideo({ id: "v", title: "Theirs", uploaded_by: "u", status: "published" });
  const isPublic = () => rows()[0]?.public;
  await visitor.open("/admin/users");
  const strikeForm = () => visitor.field(`Reason for a strike against ${email}`).form!;
  visitor.fill(`Reason for a strike against ${email}`, "A stolen video");
  const strikes = () =>
    textOf(visitor.in().getByRole("list", { name: `Strikes against ${email}` }));
  await visitor.press(strikeForm().querySelector("button")!);
  expect(visitor.text).toContain(`${email} has 1 strike.`);
  expect(strikes()).toContain("A stolen video");
  await visitor.press("Withdraw strike");
  expect(strikes()).toContain("withdrawn");

  const block = visitor.in().getByRole("button", { name: `Block ${email}` });
  visitor.check("Hide their published videos", (block as HTMLButtonElement).form!);
  await visitor.press(block);
  expect(visitor.text).toContain(`${email} is blocked. 1 video hidden.`);
  expect(isPublic()).toBe(0);
  await visitor.press(`Reactivate ${email}`);
  expect(visitor.text).toContain("1 video restored.");
  expect(isPublic()).toBe(1);
});
