import fs from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { publishVideo } from "../../publish-video";
import { SiteProcess } from "../../site-process";
import { HtmlVisitor, textOf } from "./html-visitor";

const site = new SiteProcess({ PUBLIC_URL: "http://videos.example" });
let visitor: HtmlVisitor;
let address = 0;
beforeAll(() => site.start());
afterAll(() => site.remove());
beforeEach(() => {
  site.database().exec("DELETE FROM videos; DELETE FROM video_holds");
  // Limits count requests by address.
  address += 1;
  visitor = new HtmlVisitor(site, { "X-Forwarded-For": `10.0.0.${address}` });
});

const cards = () => [...visitor.document.querySelectorAll<HTMLElement>("main article")];
const heading = () => textOf(visitor.in().getByRole("heading", { level: 1 }));

describe("lists", () => {
  it("pages through a tag and returns to the card", async () => {
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

  it("sorts and filters by length with a form", async () => {
    await fill(site, 12, (number) => ({
      duration: number === 12 ? "1:00:00" : `${number}:00`,
      category: number % 2 ? "english" : "desi",
    }));
    await visitor.open("/?category=english");
    visitor.fill("Sort by", "Longest");
    visitor.fill("Length", "5 to 20 minutes");
    await visitor.press("Show");
    expect(visitor.address).toBe("/?category=english&sort=longest&length=medium");
    expect(cards()).toHaveLength(4);
    expect(textOf(cards()[0]!)).toContain("Video 11");
  });

  it("searches a category from its page", async () => {
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

  it("opens a random video", async () => {
    await fill(site, 3);
    await visitor.open("/");
    await visitor.follow("Surprise me");
    expect(visitor.address).toMatch(/^\/video\/v\d\b/);
  });

  it("says what needs scripts", async () => {
    await fill(site, 2);
    await visitor.open("/saved");
    expect(textOf(visitor.document.querySelector("main noscript")!)).toContain(
      "Saved videos need scripts.",
    );
    await visitor.open("/preferences");
    expect(textOf(visitor.document.querySelector("main noscript")!)).toContain(
      "Preferences need scripts.",
    );
  });
});

describe("a video", () => {
  const video = () => visitor.document.querySelector("main video")!;

  it("has the browser's own player, and its view is counted once", async () => {
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

  it("starts at a time named in its description", async () => {
    await visitor.open(`/video/${publishVideo(site, { description: "Look at 0:30." })}`);
    await visitor.follow("0:30");
    expect(visitor.address).toMatch(/[?&]t=30$/);
    expect(video().getAttribute("src")).toMatch(/#t=30$/);
  });
});

describe("forms", () => {
  it("prepares a contact message as a mail, or names what is missing", async () => {
    await visitor.open("/contact");
    visitor.fill("Name", "Ann");
    await visitor.press("Send Message");
    expect(visitor.text).toContain("Please tell us where to answer.");
    expect(visitor.field("Name").value).toBe("Ann");
    visitor.fill("Email", "ann@example.com");
    visitor.fill("Subject", "Hello");
    visitor.fill("Message", "Is this yours?");
    await visitor.press("Send Message");
    expect(visitor.text).toContain("has not been sent yet");
    const mail = visitor.in().getByRole("link", { name: "Open it as a mail" });
    expect(mail.getAttribute("href")).toMatch(/^mailto:contact@.*subject=Hello/);
  });

  it("reports a video, answers the moderators and withdraws the report", async () => {
    await fill(site, 2);
    await visitor.open("/video/v1");
    await visitor.follow("Report");
    expect(visitor.address).toBe("/report?video=v1");
    await visitor.follow("Copyright");
    expect(heading()).toBe("Report: Copyright");
    const field = (label: string) => visitor.field<HTMLTextAreaElement>(label);
    const statements = () => visitor.in().getAllByRole<HTMLInputElement>("checkbox");
    expect(field("Where it is").value.trim()).toBe("http://videos.example/video/v1");

    visitor.fill("What is wrong", "My film, first shown in 2020.");
    statements()[0]!.checked = true;
    await visitor.press("Send report");
    expect(visitor.text).toContain("A report of this kind needs your name.");
    expect(field("Your full name").autofocus).toBe(true);
    expect(field("What is wrong").value.trim()).toBe("My film, first shown in 2020.");
    expect(statements()[0]!.checked).toBe(true);
    expect(statements().at(-1)!.getAttribute("aria-invalid")).toBe("true");

    visitor.fill("Your full name", "Ada Example");
    statements().at(-1)!.checked = true;
    await visitor.press("Send report");
    expect(heading()).toBe("Your report");
    expect(visitor.text).toContain("Received. A moderator will look at it.");
    const link = visitor.address;

    visitor.fill("Your message to the moderators", "It is in the third minute.");
    await visitor.press("Send message");
    const messages = visitor.in().getAllByRole("listitem").map(textOf);
    expect(messages.join()).toContain("third minute");

    await visitor.open(link);
    await visitor.press("Yes, withdraw it");
    expect(visitor.text).toContain("You have withdrawn this report.");
    expect(visitor.in().queryByLabelText("Your message to the moderators")).toBeNull();
  });

  it("shows 404 for a report link that was given to nobody", async () => {
    await visitor.open(`/report/${"A".repeat(22)}.${"A".repeat(43)}`);
    expect(visitor.status).toBe(404);
    expect(visitor.text).toContain("There is no report with this link.");
  });

  it("asks a question after many reports from one address", async () => {
    const report = async (text: string) => {
      await visitor.open("/report?video=nobody&kind=other");
      visitor.fill("What is wrong", text);
      (visitor.in().getByRole("checkbox") as HTMLInputElement).checked = true;
    };
    for (let at = 0; at < 5; at += 1) {
      await report(`It is number ${at} of many.`);
      await visitor.press("Send report");
      expect(visitor.text).toContain("Received. A moderator will look at it.");
    }
    await report("It is the sixth of many.");
    visitor.fill("?", "elephant");
    await visitor.press("Send report");
    expect(visitor.text).toContain("That was not it, or it took too long.");
    expect(visitor.field("?").autofocus).toBe(true);
    expect(
      visitor
        .in()
        .getByLabelText<HTMLTextAreaElement>(/What is wrong/)
        .value.trim(),
    ).toBe("It is the sixth of many.");
  });
});

describe("the age gate", () => {
  const gated = new SiteProcess({ AGE_GATE: "on" });
  beforeAll(() => gated.start());
  afterAll(() => gated.remove());

  it("asks a first visit once and shows no picture before the answer", async () => {
    await fill(gated, 10);
    const first = new HtmlVisitor(gated);
    await first.open("/categories/desi?page=2");
    expect(first.in().getByRole("dialog", { name: "Are you 18 or over?" })).toBeTruthy();
    // The page is there for search engines, but not displayed.
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
