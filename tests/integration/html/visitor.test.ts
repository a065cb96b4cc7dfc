import fs from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { publishVideo } from "../../publish-video";
import { SiteProcess } from "../../site-process";
import { HtmlVisitor, textOf } from "./html-visitor";

const site = new SiteProcess({
  PUBLIC_URL: "http://videos.example",
  JOIN_URL: "https://chat.example/channel",
});
let visitor: HtmlVisitor;
let address = 0;
beforeAll(() => site.start());
afterAll(() => site.remove());
beforeEach(() => {
  site.database().exec("DELETE FROM videos; DELETE FROM video_holds");
  // Use a new IP address, because rate limits count requests by IP address.
  address += 1;
  visitor = new HtmlVisitor(site, { "X-Forwarded-For": `10.0.0.${address}` });
});

const cards = () => [...visitor.document.querySelectorAll<HTMLElement>("main article")];
const heading = () => textOf(visitor.in().getByRole("heading", { level: 1 }));

describe("public pages", () => {
  it("link from a tag's list to its next page, and from a video's page back to its card in the list", async () => {
    await fill(site, 12, () => ({ tags: '["beach"]' }));
    await visitor.open("/video/v1");
    await visitor.follow("beach");
    await visitor.follow("Next");
    expect(visitor.address).toBe("/tags/beach?page=2");
    await visitor.follow(visitor.in(cards()[0]).getAllByRole("link")[0]!);
    await visitor.follow("Back");
    expect(visitor.address).toBe("/tags/beach?page=2#video-v9");
    expect(visitor.document.getElementById("video-v9")).not.toBeNull();
  });

  it("let visitors sort a list and filter it by length", async () => {
    await fill(site, 12, (number) => ({
      duration: number === 12 ? "1:00:00" : `${number}:00`,
      category: number % 2 ? "english" : "desi",
    }));
    await visitor.open("/?category=english");
    visitor.fill("Sort by", "Longest");
    visitor.fill("Length", "5 to 20 minutes");
    await visitor.press("Show");
    expect(visitor.address).toBe("/?category=english&sort=longest&length=medium&since=&tag=&not=");
    expect(cards()).toHaveLength(4);
    expect(textOf(cards()[0]!)).toContain("Video 11");
  });

  it("let visitors search a category from its page", async () => {
    await fill(site, 3, (number) => ({
      title: number === 2 ? "Neon City" : `Neon ${number}`,
      category: number === 2 ? "english" : "desi",
    }));
    await visitor.open("/categories/english");
    const field = visitor.in().getByRole("combobox", { name: "Search videos" });
    (field as HTMLInputElement).value = "neon";
    await visitor.submit(field);
    expect(visitor.address).toBe("/?search=neon&category=english");
    expect(cards().map(textOf)).toEqual([expect.stringContaining("Neon City")]);
  });

  it("show a message if there are no videos on the site, in a category, of a length or with a tag", async () => {
    const empty = {
      "/": "No videos available. Upload your first video to get started!",
      "/trending": "No trending videos found. Upload some content to get started!",
    };
    for (const [path, text] of Object.entries(empty)) {
      await visitor.open(path);
      expect(visitor.text).toContain(text);
    }
    await fill(site, 2, () => ({ title: "Quiet evening", duration: "1:00" }));
    for (const path of ["/?category=premium", "/categories/premium"]) {
      await visitor.open(path);
      expect(visitor.text).toContain("No videos found in this category.");
    }
    await visitor.open("/categories/desi?sort=shortest&length=long");
    expect(visitor.text).toContain("No videos match these filters.");
    const all = visitor.in().getByRole("link", { name: "Clear filters" });
    expect(all.getAttribute("href")).toBe("/categories/desi?sort=shortest");
    await visitor.open("/tags/evening");
    expect(visitor.status).toBe(404);
    expect(visitor.text).toContain("No videos found with this tag.");
    await visitor.follow("Search titles and tags");
    expect(visitor.address).toBe("/?search=evening");
    expect(cards()).toHaveLength(2);
  });

  it("show ranks only for the first three videos on the first page of Trending", async () => {
    await fill(site, 12, (number) => ({ views: number === 12 ? 0 : number * 1000 }));
    await visitor.open("/trending");
    expect(textOf(cards()[0]!)).toContain("Video 11");
    expect(textOf(cards()[0]!)).toContain("11.0K views");
    const ranked = () => cards().filter((card) => textOf(card).includes("Rank"));
    expect(ranked()).toHaveLength(3);
    await visitor.follow("Next");
    expect(visitor.address).toBe("/trending?page=2");
    expect(cards()).toHaveLength(3);
    expect(ranked()).toHaveLength(0);
  });

  it("show a category at each of its URLs, and redirect other spellings of a tag to its URL", async () => {
    await fill(site, 1, () => ({ category: "amateur", tags: '["HD"]' }));
    for (const path of ["/categories?cat=desi", "/categories/desi", "/categories/amateur"]) {
      await visitor.open(path);
      expect(heading()).toBe("Desi");
      expect(cards()).toHaveLength(1);
      const breadcrumb = visitor.in().getByRole("navigation", { name: "Breadcrumb" });
      expect(textOf(breadcrumb)).toBe("HomeCategoriesDesi");
    }
    expect(visitor.address).toBe("/categories/desi");
    await visitor.open("/categories/nonsense");
    expect(visitor.status).toBe(404);
    await visitor.open("/tags/hd");
    expect(visitor.address).toBe("/tags/HD");
    expect(cards()).toHaveLength(1);
  });

  it("link to a tag's page even if the tag contains special characters", async () => {
    const tags = ["AC/DC", "50%2F50", "what? #1", "x.data", "🎬", "v1.0", '"a" OR b*'];
    await fill(site, 1, () => ({ tags: JSON.stringify(tags) }));
    for (const tag of tags) {
      await visitor.open("/video/v1");
      await visitor.follow(tag);
      expect(visitor.status).toBe(200);
      expect(heading()).toBe(`Videos tagged “${tag}”`);
      expect(cards()).toHaveLength(1);
    }
  });

  it("load the posters in the first row immediately, and all other posters lazily", async () => {
    await fill(site, 8, () => ({ views: 1 }));
    for (const path of ["/", "/categories", "/trending", "/?search=video"]) {
      await visitor.open(path);
      const posters = [...visitor.document.querySelectorAll("main article img")].map(
        (image) => `${image.getAttribute("loading")} ${image.getAttribute("fetchpriority")}`,
      );
      expect([path, posters]).toEqual([
        path,
        [...Array(4).fill("eager high"), ...Array(4).fill("lazy null")],
      ]);
    }
  });

  it("suggest a similar search and categories when a search has no results", async () => {
    const titles = ["Neon Rain", "Neon City", "Evening"];
    await fill(site, 3, (number) => ({
      title: titles[number - 1]!,
      category: number === 2 ? "english" : "desi",
    }));
    await visitor.open("/?search=noen+rian");
    expect(visitor.text.match(/No videos found matching “noen rian”/g)).toHaveLength(1);
    // The sort order of search results can't be changed.
    const popular = visitor.in().getByRole("list", { name: "Popular categories" });
    expect(visitor.in(popular).getAllByRole("link").map(textOf)).toEqual(["Desi", "English"]);
    await visitor.follow("neon rain");
    expect(visitor.address).toBe("/?search=neon+rain");
    expect(cards()).toHaveLength(1);
  });

  it("show videos as close matches below the results if an alias of one of their tags matches", async () => {
    await fill(site, 2, (number) => ({
      title: number === 1 ? "Neon Rain" : "Other",
      tags: number === 2 ? '["neon lights"]' : null,
    }));
    const add = site.database().prepare("INSERT OR REPLACE INTO tag_aliases VALUES (?, ?, ?)");
    for (const name of ["neon", "bright"]) add.run(name, "neon lights", "Neon lights");
    const close = () => visitor.in().queryByRole("region", { name: "Close matches" });
    await visitor.open("/?search=bright");
    expect(visitor.text).toContain("No videos found matching");
    expect(visitor.in(close()!).getAllByRole("article").map(textOf)).toEqual([
      expect.stringContaining("Other"),
    ]);
    // The video's tag contains the text, so it is one of the exact results.
    await visitor.open("/?search=neon");
    expect(cards()).toHaveLength(2);
    expect(close()).toBeNull();
    site.database().exec("DELETE FROM tag_aliases");
  });

  it("show the first close matches if a search has no results, otherwise a link to them", async () => {
    const titles = ["Rain in neon light", "Rain in neon colors", "In neon, rain"];
    await fill(site, 12, (number) => ({ title: titles[number - 1] ?? `Neon and rain ${number}` }));
    await visitor.open("/?search=neon+rain");
    expect(visitor.text).toContain("No videos found matching");
    const close = visitor.in().getByRole("region", { name: "Close matches" });
    expect(visitor.in(close).getAllByRole("article")).toHaveLength(8);
    await visitor.follow("Show all 12 close matches");
    expect(visitor.address).toBe("/?search=neon+rain&close=1");
    expect(visitor.text).toContain("Close matches for “neon rain”");
    await visitor.open("/?search=rain+in+neon");
    expect(cards()).toHaveLength(2);
    await visitor.follow("1 more video with these words in any order");
    expect(cards().map(textOf)).toEqual([expect.stringContaining("In neon, rain")]);
  });

  it("let visitors filter a search by its date and by tags", async () => {
    await fill(site, 3, (number) => ({
      title: `Neon ${number}`,
      tags: number === 1 ? '["night","Été"]' : '["night"]',
      created_at: new Date(Date.now() - (number === 2 ? 5 : 0.1) * 86_400_000).toISOString(),
    }));
    await visitor.open("/?search=neon&category=desi");
    visitor.fill("With all of these tags", " night, ");
    visitor.fill("Without these tags", "ete");
    await visitor.press("Apply");
    expect(visitor.address).toBe(
      "/?search=neon&category=desi&sort=newest&length=&since=&tag=+night%2C+&not=ete",
    );
    expect(cards().map(textOf)).toEqual([
      expect.stringContaining("Neon 3"),
      expect.stringContaining("Neon 2"),
    ]);
    await visitor.open("/?search=neon&since=day&not=ete");
    expect(cards().map(textOf)).toEqual([expect.stringContaining("Neon 3")]);
    expect(visitor.text).toContain("Filters (2)");
  });

  it("don't log search text", async () => {
    const before = site.log.length;
    await visitor.open("/");
    await visitor.get("/search/suggestions?q=xyzzy");
    await visitor.open("/?search=xyzzy");
    const logged = () => site.log.slice(before);
    await expect.poll(logged).toContain("GET /search/suggestions 200");
    await expect.poll(logged).toMatch(/GET \/ 200[\s\S]*GET \/ 200/);
    expect(logged()).not.toContain("xyzzy");
  });

  it("offer a random video", async () => {
    await fill(site, 3);
    await visitor.open("/");
    await visitor.follow("Surprise me");
    expect(visitor.address).toMatch(/^\/video\/v\d\b/);
  });

  it("include a link on Home that opens the channel in a new tab", async () => {
    await visitor.open("/");
    const join = visitor.in().getByRole("link", { name: /join/i });
    expect(join.getAttribute("href")).toBe("https://chat.example/channel");
    expect(join.getAttribute("target")).toBe("_blank");
    expect(join.getAttribute("rel")).toMatch(/noopener/);
  });

  it("include a 404 page with links to the lists", async () => {
    await visitor.open("/nonsense/at/all");
    expect(visitor.status).toBe(404);
    expect(visitor.document.title).toMatch(/not found/i);
    const main = visitor.in(visitor.document.querySelector("main")!);
    expect(
      main
        .getAllByRole("link")
        .map((link) => link.getAttribute("href"))
        .sort(),
    ).toEqual(
      ["/", "/trending", "/categories/desi", "/categories/premium", "/categories/english"].sort(),
    );
  });

  it("show a message if they require JavaScript", async () => {
    await fill(site, 2);
    await visitor.open("/saved");
    expect(textOf(visitor.document.querySelector("main noscript")!)).toContain(
      "Saved videos require JavaScript.",
    );
    await visitor.open("/preferences");
    expect(textOf(visitor.document.querySelector("main noscript")!)).toContain(
      "Preferences require JavaScript.",
    );
  });
});

describe("a video", () => {
  const video = () => visitor.document.querySelector("main video")!;

  it("is shown in the browser's built-in player, and each view is counted once", async () => {
    const video_url = site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)));
    await fill(site, 1, () => ({ video_url }));
    const views = site.database().prepare("SELECT views FROM videos").pluck();
    for (const expected of [1, 2]) {
      await visitor.open("/video/v1");
      expect(video().hasAttribute("controls")).toBe(true);
      const image = visitor.document.querySelector("main noscript img[src*='/view']")!;
      await visitor.get(image.getAttribute("src")!);
      await expect.poll(() => views.get(), { timeout: 15_000 }).toBe(expected);
    }
  });

  it("starts at the timestamp that the visitor selects in the description", async () => {
    await visitor.open(`/video/${publishVideo(site, { description: "Look at 0:30." })}`);
    await visitor.follow("0:30");
    expect(visitor.address).toMatch(/[?&]t=30$/);
    expect(video().getAttribute("src")).toMatch(/#t=30$/);
  });
});

describe("public forms", () => {
  it("let visitors prepare an email to the site, and show which field is missing", async () => {
    await visitor.open("/contact");
    visitor.fill("Name", "Ann");
    await visitor.press("Prepare email");
    expect(visitor.text).toContain("Please enter your email address.");
    expect(visitor.field("Name").value).toBe("Ann");
    visitor.fill("Email", "ann@example.com");
    visitor.fill("Subject", "Hello");
    visitor.fill("Message", "Is this yours?");
    await visitor.press("Prepare email");
    expect(visitor.text).toContain("hasn’t been sent yet");
    const mail = visitor.in().getByRole("link", { name: "Open in email app" });
    expect(mail.getAttribute("href")).toMatch(/^mailto:contact@.*subject=Hello/);
  });

  it("let visitors report a video, reply to the moderators and withdraw the report", async () => {
    await fill(site, 2);
    await visitor.open("/video/v1");
    await visitor.follow("Report");
    expect(visitor.address).toBe("/report?video=v1");
    await visitor.follow("Copyright");
    expect(heading()).toBe("Report: Copyright");
    const field = (label: string) => visitor.field<HTMLTextAreaElement>(label);
    const statements = () => visitor.in().getAllByRole<HTMLInputElement>("checkbox");
    expect(field("Link to the video").value.trim()).toBe("http://videos.example/video/v1");

    visitor.fill("What’s wrong?", "My video, first shown in 2020.");
    statements()[0]!.checked = true;
    await visitor.press("Send report");
    expect(visitor.text).toContain("Please enter your name. This kind of report requires it.");
    expect(field("Your full name").autofocus).toBe(true);
    expect(field("What’s wrong?").value.trim()).toBe("My video, first shown in 2020.");
    expect(statements()[0]!.checked).toBe(true);
    expect(statements().at(-1)!.getAttribute("aria-invalid")).toBe("true");

    visitor.fill("Your full name", "Ada Example");
    statements().at(-1)!.checked = true;
    await visitor.press("Send report");
    expect(heading()).toBe("Your report");
    expect(visitor.text).toContain("Received. A moderator will review it.");
    const link = visitor.address;

    visitor.fill("Your message to the moderators", "It is in the third minute.");
    await visitor.press("Send message");
    const messages = visitor.in().getAllByRole("listitem").map(textOf);
    expect(messages.join()).toContain("third minute");

    await visitor.open(link);
    await visitor.press("Withdraw report");
    expect(visitor.text).toContain("You have withdrawn this report.");
    expect(visitor.in().queryByLabelText("Your message to the moderators")).toBeNull();
  });

  it("show a 404 page for an unknown report link", async () => {
    await visitor.open(`/report/${"A".repeat(22)}.${"A".repeat(43)}`);
    expect(visitor.status).toBe(404);
    expect(visitor.text).toContain("No report was found for this link.");
  });

  it("require visitors to solve a puzzle after many reports from one IP address", async () => {
    const report = async (text: string) => {
      await visitor.open("/report?video=nobody&kind=other");
      visitor.fill("What’s wrong?", text);
      (visitor.in().getByRole("checkbox") as HTMLInputElement).checked = true;
    };
    for (let at = 0; at < 5; at += 1) {
      await report(`It is number ${at} of many.`);
      await visitor.press("Send report");
      expect(visitor.text).toContain("We can’t find a public video at this link.");
      await visitor.press("Send report anyway");
      expect(visitor.text).toContain("Received. A moderator will review it.");
    }
    await report("It is the sixth of many.");
    await visitor.press("Send report");
    visitor.fill("What is", "elephant");
    await visitor.press("Send report anyway");
    expect(visitor.text).toContain("That answer was wrong or came too late.");
    expect(visitor.field("What is").autofocus).toBe(true);
    // The page still has this button, because the visitor has already chosen to send a report that doesn't refer to a
    // public video.
    visitor.in().getByRole("button", { name: "Send report anyway" });
    expect(
      visitor
        .in()
        .getByLabelText<HTMLTextAreaElement>(/What’s wrong/)
        .value.trim(),
    ).toBe("It is the sixth of many.");
  });
});

describe("the age gate", () => {
  const gated = new SiteProcess({ AGE_GATE: "on" });
  beforeAll(() => gated.start());
  afterAll(() => gated.remove());

  it("is shown once, and hides the page until the visitor answers it", async () => {
    await fill(gated, 10);
    const first = new HtmlVisitor(gated);
    await first.open("/categories/desi?page=2");
    expect(first.in().getByRole("dialog", { name: "Are you 18 or over?" })).toBeTruthy();
    // The page is in the HTML for search engines, but it isn't displayed.
    const main = () => first.document.querySelector("main")!;
    expect(main().closest(".hidden")).not.toBeNull();
    await first.press("Enter");
    expect(first.address).toBe("/categories/desi?page=2");
    expect(first.in().queryByRole("dialog")).toBeNull();
    expect(main().closest(".hidden")).toBeNull();
    await first.open("/trending");
    expect(first.in().queryByRole("dialog")).toBeNull();
  });
});
