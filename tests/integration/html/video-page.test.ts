import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { fill } from "../../fill-catalogue";
import { publishVideo } from "../../publish-video";
import { SiteProcess } from "../../site-process";
import { HtmlVisitor, textOf } from "./html-visitor";

const site = new SiteProcess();
const visitor = new HtmlVisitor(site);
beforeAll(() => site.start());
afterAll(() => site.remove());
beforeEach(() => site.database().exec("DELETE FROM videos"));

const heading = () => textOf(visitor.in().getByRole("heading", { level: 1 }));

it("has the browser's built-in player, with the poster and a versioned file URL", async () => {
  await visitor.open(`/video/${publishVideo(site)}`);
  const video = visitor.document.querySelector("main video")!;
  expect(video.hasAttribute("controls")).toBe(true);
  expect(video.getAttribute("src")).toMatch(/^\/media\/videos\/owner\/\d+\.mp4\?v=[\da-z-]+$/);
  expect(video.getAttribute("poster")).toMatch(/^\/media\/thumbnails\/owner\/\d+\.jpg\?w=720$/);
  expect(visitor.in().queryByRole("slider", { name: "Seek" })).toBeNull();
});

it("shows all details of a video as text with safe links", async () => {
  site.addVideo({
    id: "full",
    title: "A <b>bold</b> & quiet video",
    description: "First line\nSecond: https://example.com/a?b=1. <script>alert(1)</script>",
    tags: '["one take", "evening"]',
    category: "featured",
    views: 15_400,
  });
  await visitor.open("/video/full");
  expect(heading()).toBe("A <b>bold</b> & quiet video");
  const main = visitor.in(visitor.document.querySelector("main")!);
  expect(main.getByText("15.4K views")).toBeTruthy();
  expect(main.getByText("1 day ago")).toBeTruthy();
  const category = main.getByRole("link", { name: "Premium Video" });
  expect(category.getAttribute("href")).toBe("/categories/premium");
  const link = main.getByRole("link", { name: "https://example.com/a?b=1" });
  expect(link.getAttribute("rel")?.split(" ")).toEqual(
    expect.arrayContaining(["noopener", "noreferrer"]),
  );
  expect(main.getByText(/^First line/).textContent).toContain("<script>alert(1)</script>");
  await visitor.follow("one take");
  expect(visitor.address).toBe("/tags/one%20take");
  expect(visitor.document.querySelectorAll("main article")).toHaveLength(1);
});

it("doesn't turn a hostile description into markup or links", async () => {
  const description = `0:00 <script>alert(1)</script>\n0:10 "onmouseover="x\n0:20 \u202eevil ${"x".repeat(300)}\n0:30 javascript:alert(1)`;
  await visitor.open(`/video/${publishVideo(site, { description })}`);
  const chapters = visitor.in().getByRole("navigation", { name: "Chapters" });
  const links = visitor.in(chapters).getAllByRole("link");
  expect(links).toHaveLength(4);
  for (const link of links) {
    expect(link.getAttribute("href")).toMatch(/^\/video\/[\w-]+\?from=home(&t=\d+)?$/);
    expect(link.hasAttribute("onmouseover")).toBe(false);
  }
  expect(chapters.querySelector("script")).toBeNull();
});

it("links back to the video's card in the list specified by its URL", async () => {
  await fill(site, 20);
  await visitor.open("/video/v12?from=home&search=video&page=2");
  await visitor.follow("Back");
  expect(visitor.address).toBe("/?search=video&page=2#video-v12");
  await visitor.open("/video/v12?from=trending");
  await visitor.follow("Back");
  expect(visitor.address).toMatch(/^\/trending#/);
});

it("shows that a video has no file, and links to its category", async () => {
  site.addVideo({ id: "alone", title: "Alone", category: "pornstar" });
  await visitor.open("/video/alone");
  for (const message of [
    "Video not available",
    "Please try again later.",
    "No related videos found",
  ]) {
    expect(visitor.text).toContain(message);
  }
  expect(visitor.document.querySelector("main video")).toBeNull();
  const poster = visitor.document.querySelector(".player-poster")!;
  expect(poster.getAttribute("src")).toMatch(/placeholder.*\.svg$/);
  await visitor.follow("Browse Model/Star");
  expect(visitor.address).toBe("/categories/pornstar");

  // A custom category that another tool stored.
  site.database().exec("DELETE FROM videos");
  site.addVideo({ id: "own", title: "Its own", category: "My own" });
  await visitor.open("/video/own");
  await visitor.follow("Browse My own");
  expect(visitor.address).toBe("/categories/My%20own");
  expect(textOf(visitor.document.querySelector("main article")!)).toContain("Its own");
});

it("shows an error when a video can't be loaded, and retries", async () => {
  await fill(site, 1);
  site.database().exec("ALTER TABLE videos RENAME TO videos_away");
  try {
    await visitor.open("/video/v1");
    expect(visitor.status).toBe(500);
    expect(visitor.document.title).toBe("Something went wrong | Afterdark");
    const alert = textOf(visitor.in().getByRole("alert"));
    expect(alert).toContain("Error loading videos: Failed to fetch");
  } finally {
    site.database().exec("ALTER TABLE videos_away RENAME TO videos");
  }
  await visitor.press("Retry");
  expect(heading()).toBe("Video 1");
});

it("shows that a video doesn't exist", async () => {
  await visitor.open("/video/nobody");
  expect([visitor.status, heading()]).toEqual([404, "Video not found"]);
  expect(visitor.text).toContain("The video you're looking for doesn't exist or has been removed.");
  await visitor.follow("Back to Home");
  expect(visitor.address).toBe("/");
});

it("reserves space for Continue watching only on the first page of the list of all videos", async () => {
  await fill(site, 12);
  const hasSpace = async (url: string) => {
    await visitor.open(url);
    return visitor.document.getElementById("continue-heading") !== null;
  };
  expect(await hasSpace("/")).toBe(true);
  for (const url of ["/?page=2", "/?search=video", "/?category=desi", "/categories", "/trending"]) {
    expect(await hasSpace(url), url).toBe(false);
  }
});
