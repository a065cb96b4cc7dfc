import fs from "node:fs";
import { expect, it } from "vitest";
import { mp4Clip } from "../../clips";
import { runJobs } from "../../e2e/run-jobs";
import { publishVideo } from "../../publish-video";
import { withoutMetadata } from "../../without-metadata";
import { HtmlVisitor, textOf } from "./html-visitor";
import { useStudio } from "./studio-site";

const MANAGE = "/admin?tab=manage";
const SMALL = "96x54";

const { site, visitor } = useStudio(["videos", "video_files", "jobs"]);

type Row = Record<string, string>;
const row = () => site.database().prepare("SELECT * FROM videos").get() as Row;
const dialog = () => visitor.in().getByRole("dialog");
const pressIn = (element: HTMLElement, button: string) =>
  visitor.press(visitor.in(element).getByRole("button", { name: button }));

it("uploads a video that visitors can watch, and hides, shows and deletes it", async () => {
  await visitor.open("/admin");
  visitor.fill("Title", "A video by the sea");
  visitor.fill("Description", "Waves, for a while.");
  visitor.fill("Category", "english");
  visitor.fill("Tags", "sea, calm ,, waves");
  const input = visitor.document.querySelector<HTMLElement>("input[name=video]")!;
  visitor.attach(input, mp4Clip(5));
  await visitor.press("Upload Video");
  expect(visitor.text).toContain("Video uploaded and published successfully.");
  const { video_url = "", duration, tags, status } = row();
  expect({ duration, tags, status }).toEqual({
    duration: "0:05",
    tags: '["sea","calm","waves"]',
    status: "published",
  });

  const guest = new HtmlVisitor(site);
  await guest.open("/");
  await guest.follow("A video by the sea");
  expect(textOf(guest.in().getByRole("heading", { level: 1 }))).toBe("A video by the sea");
  const source = guest.document.querySelector("main video")!.getAttribute("src");
  const video = await guest.get(source!);
  const expected = withoutMetadata(fs.readFileSync(mp4Clip(5)));
  expect(Buffer.from(await video.arrayBuffer()).equals(expected)).toBe(true);
  const urls = [guest.address, video_url];
  const statuses = async () => Promise.all(urls.map(async (url) => (await guest.get(url)).status));
  expect(await statuses()).toEqual([200, 200]);

  await visitor.open(MANAGE);
  await visitor.press("Hide A video by the sea");
  expect(visitor.text).toContain("Video is now hidden on the website.");
  expect(await statuses()).toEqual([404, 404]);
  await guest.open("/");
  expect(guest.text).toContain("No videos available.");
  await visitor.press("Show A video by the sea");
  expect(visitor.text).toContain("Video is now visible on the website.");
  expect(await statuses()).toEqual([200, 200]);

  await visitor.follow("Delete A video by the sea");
  await pressIn(dialog(), "Delete");
  expect(visitor.text).toContain("Video and associated files have been removed successfully.");
  expect(await statuses()).toEqual([404, 404]);
});

it("replaces a file, keeps the URL and restores the earlier file", async () => {
  const id = publishVideo(site, { file: mp4Clip(1, SMALL), duration: "0:01", views: 7 });
  const { video_url } = row();
  await visitor.open(`${MANAGE}&edit=${id}`);
  await visitor.follow("Replace file");
  visitor.attach(visitor.field("Video file", dialog()), mp4Clip(2, SMALL));
  await pressIn(dialog(), "Replace file");
  expect(visitor.text).toContain("File uploaded");
  expect(row()).toMatchObject({ video_url, duration: "0:01", views: 7 });

  await visitor.open(`${MANAGE}&replace=${id}`);
  visitor.in(dialog()).getByRole("button", { name: "Discard" });
  expect(visitor.in(dialog()).queryByRole("button", { name: "Switch now" })).toBeNull();
  // A file with a failed job doesn't automatically replace the current one.
  site.database().exec("UPDATE jobs SET state = 'failed' WHERE kind <> 'transcode'");
  await runJobs(site, ["transcode"]);
  await visitor.open(`${MANAGE}&replace=${id}`);
  await pressIn(dialog(), "Switch now");
  expect(visitor.text).toContain("File replaced");
  expect(row()).toMatchObject({ duration: "0:02", views: 7 });
  expect(row().video_url).not.toBe(video_url);
  await visitor.open(`/video/${id}`);
  expect(visitor.status).toBe(200);

  await visitor.open(`${MANAGE}&replace=${id}`);
  await pressIn(dialog(), "Restore this file");
  expect(row()).toMatchObject({ video_url, duration: "0:01", views: 7 });
});

it("trims a video at the entered times, and discards the trim", async () => {
  const id = publishVideo(site, { file: mp4Clip(5), duration: "0:05" });
  const trims = site
    .database()
    .prepare("SELECT cut_start, cut_end FROM video_files WHERE cut_of IS NOT NULL");
  await visitor.open(`${MANAGE}&edit=${id}`);
  await visitor.follow("Trim");
  const [start, end] = ["Starts at", "Ends at"].map((label) => () => visitor.field(label));
  expect(visitor.in(dialog()).queryByRole("button", { name: "Set end" })).toBeNull();
  start!().value = "0:02.5";
  end!().value = "0:02";
  await visitor.submit(end!());
  expect(textOf(dialog())).toContain("Failed to trim the video.");
  expect(textOf(dialog())).toContain("The end must be after the start.");
  expect(end!().getAttribute("aria-invalid")).toBe("true");
  expect(start!().value).toBe("0:02.5");
  end!().value = "0:04.25";
  await visitor.submit(end!());
  expect(visitor.text).toContain(
    "The current version stays online until the trimmed one is ready.",
  );
  expect(trims.all()).toEqual([{ cut_start: 2.5, cut_end: 4.25 }]);
  await visitor.open(`${MANAGE}&trim=${id}`);
  await pressIn(dialog(), "Discard");
  expect(visitor.text).toContain("The video keeps its current file.");
  expect(trims.all()).toEqual([]);
});
