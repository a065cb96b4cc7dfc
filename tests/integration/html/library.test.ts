import { beforeEach, describe, expect, it } from "vitest";
import { textOf } from "./html-visitor";
import { useStudio } from "./studio-site";

const MANAGE = "/admin?tab=manage";

const { site, visitor } = useStudio(["videos", "deleted_videos"]);

const dialog = () => visitor.in().getByRole("dialog");
const form = (name: string) => visitor.in().getByRole("form", { name });
const region = (name: string) => visitor.in().getByRole("region", { name });
const itemsOf = (list: string) =>
  [...(visitor.in().queryByRole("list", { name: list })?.children ?? [])].map(textOf);
const pressIn = (element: HTMLElement, button: string) =>
  visitor.press(visitor.in(element).getByRole("button", { name: button }));
/** Returns the title links of all rows in the list. */
const titleLinks = () =>
  [...visitor.document.querySelectorAll(".video-row-title")].map(
    (cell) => cell.querySelector("a")!,
  );
const titles = () => titleLinks().map(textOf);
const rowOf = (title: string) =>
  textOf(
    titleLinks()
      .find((link) => textOf(link) === title)!
      .closest("tr")!,
  );
const columnOf = (column: string, id: string) =>
  site.database().prepare(`SELECT ${column} FROM videos WHERE id = ?`).pluck().get(id);

function addThree(): void {
  const day = (n: number) => `2024-01-0${n}T00:00:00.000Z`;
  site.addVideo({ id: "c", title: "Cinema", status: "review", created_at: day(1) });
  site.addVideo({ id: "b", title: "Beach", status: "hidden", created_at: day(2) });
  site.addVideo({ id: "a", title: "Aurora", tags: '["night"]', created_at: day(3) });
}

describe("the video list", () => {
  it("lets admins edit, hide, show, delete and restore a video", async () => {
    addThree();
    await visitor.open("/admin");
    await visitor.follow("Manage Videos");
    expect(titles()).toEqual(["Aurora", "Beach", "Cinema"]);

    await visitor.follow("Edit Aurora");
    visitor.fill("Title", "Aurora borealis", dialog());
    visitor.fill("Tags", "north, , sky", dialog());
    visitor.fill("Duration", "1:15:30", dialog());
    await pressIn(dialog(), "Update");
    expect(visitor.text).toContain("Video has been updated successfully.");
    expect(rowOf("Aurora borealis")).toContain("75:30");
    expect(columnOf("tags", "a")).toBe('["north","sky"]');

    await visitor.press("Hide Aurora borealis");
    expect(visitor.text).toContain("Video is now hidden on the website.");
    expect(rowOf("Aurora borealis")).toMatch(/hidden/i);
    await visitor.press("Show Cinema");
    expect(visitor.text).toContain("Video is now visible on the website.");
    expect([columnOf("status", "a"), columnOf("status", "c")]).toEqual(["hidden", "published"]);

    await visitor.follow("Delete Beach");
    expect(textOf(dialog())).toContain("You can restore it from the trash for 30 days.");
    await pressIn(dialog(), "Delete");
    expect(visitor.text).toContain("Video and associated files have been removed successfully.");
    expect(titles()).not.toContain("Beach");
    await visitor.press("Undo deleting “Beach”");
    expect(titles()).toContain("Beach");
    await visitor.open("/admin/activity");
    expect(visitor.text).toContain("restored Beach");
  });

  it("lets admins sort videos, and hide or delete several at once", async () => {
    addThree();
    await visitor.open(MANAGE);
    visitor.fill("Sort by", "title");
    await visitor.press("Filter");
    expect(visitor.address).toContain("sort=title");
    expect(titles()).toEqual(["Aurora", "Beach", "Cinema"]);

    const apply = async (action: string, ...selected: string[]) => {
      for (const title of selected) visitor.check(`Select ${title}`);
      visitor.fill("Bulk actions", action);
      await visitor.press("Apply");
    };
    await apply("hide", "Aurora", "Beach");
    expect(textOf(dialog())).toContain("1 video will change.");
    await pressIn(dialog(), "Apply to 1 video");
    expect(visitor.text).toContain("Hid 1 video. 1 video was already hidden.");
    expect(columnOf("status", "a")).toBe("hidden");

    await apply("delete", "Beach", "Cinema");
    expect(textOf(dialog())).toContain("Delete 2 videos?");
    await pressIn(dialog(), "Delete");
    expect(visitor.text).toContain("Deleted 2 videos.");
    expect(titles()).toEqual(["Aurora"]);
  });

  it("lets admins filter videos, hide a column, and save and remove a view", async () => {
    const thumbnail_url = "/media/thumbnails/u/1.webp";
    const add = (title: string, day: string, columns = {}) =>
      site.addVideo({ title, created_at: `2025-${day}T12:00:00.000Z`, ...columns });
    add("Old video", "01-31");
    add("Bare video", "03-01");
    add("New video", "03-02", { thumbnail_url });
    await visitor.open(MANAGE);
    visitor.fill("Added on or after", "2025-02-10");
    visitor.check("No thumbnail");
    const columns = visitor.in().getByRole("group", { name: "Columns" });
    visitor.field("Views", columns).checked = false;
    await visitor.submit(visitor.field("No thumbnail"));
    expect(titles()).toEqual(["Bare video"]);
    const { searchParams } = new URL(visitor.address, site.url);
    expect(searchParams.get("from")).toMatch(/^2025-02-10/);
    expect(searchParams.get("no-thumbnail")).toBe("1");
    expect(visitor.field("Added on or after").value).toBe("2025-02-10");
    expect(visitor.in().queryByRole("columnheader", { name: "Views" })).toBeNull();

    visitor.fill("View name", "Bare since February");
    await visitor.press("Save");
    expect(visitor.text).toContain("View saved");
    await visitor.follow("Clear");
    expect(titles()).toEqual(["New video", "Bare video", "Old video"]);
    await visitor.follow("Bare since February");
    expect(titles()).toEqual(["Bare video"]);
    await visitor.press("Remove the view Bare since February");
    expect(visitor.in().queryByRole("navigation", { name: "Saved views" })).toBeNull();
  });

  it("lists similar videos until they are marked as different", async () => {
    for (const id of ["a", "b", "c"]) site.addVideo({ id, title: `Video ${id}` });
    site.database().exec("INSERT INTO similar_videos VALUES ('a', 'b', NULL)");
    await visitor.open(MANAGE);
    const status = visitor.field<HTMLSelectElement>("Status");
    visitor.fill(
      "Status",
      [...status.options].find(({ text }) => /possible duplicates/i.test(text))!.text,
    );
    await visitor.press("Filter");
    expect(titles().sort()).toEqual(["Video a", "Video b"]);
    expect(rowOf("Video a")).toContain("Similar to:");
    await visitor.press("Not a duplicate: Video a and Video b");
    expect(titles()).toEqual([]);
    await visitor.open(MANAGE);
    expect(titles()).toHaveLength(3);
    expect(visitor.text).not.toContain("Similar to:");
  });
});

describe("the trash", () => {
  it("lets admins restore one video, purge another, and purge the rest by emptying the trash", async () => {
    for (const title of ["Aurora", "Beach", "Cinema"]) {
      site.addVideo({ id: title, title });
      await visitor.open(`${MANAGE}&delete=${title}`);
      await pressIn(dialog(), "Delete");
    }
    const listed = () => itemsOf("Videos in the trash").join();
    await visitor.follow(
      visitor.in(region("Recently deleted")).getByRole("link", { name: "Trash" }),
    );
    expect(visitor.text).toContain("3 videos, 0.0 MB");

    await visitor.press("Restore Aurora");
    expect(visitor.text).toContain("“Aurora” restored.");
    expect(listed()).not.toContain("Aurora");
    expect(columnOf("title", "Aurora")).toBe("Aurora");

    visitor.check("Select Beach");
    await visitor.press("Delete permanently");
    expect(textOf(dialog())).toContain("Permanently delete this video?");
    expect(textOf(dialog())).toContain("This can’t be undone.");
    await pressIn(dialog(), "Delete");
    expect(visitor.text).toContain("1 video was permanently deleted.");
    expect(listed()).not.toContain("Beach");

    visitor.fill("Search trash", "nothing");
    await visitor.press("Show");
    expect(visitor.text).toContain("No videos found.");
    await visitor.follow("Show everything in the trash");
    expect(listed()).toContain("Cinema");

    await visitor.follow("Empty trash");
    expect(visitor.address).toContain("empty=1");
    await pressIn(dialog(), "Delete");
    expect(visitor.text).toContain("The trash is empty.");
    expect(visitor.address).toBe("/admin/trash");
    await visitor.open("/admin/activity");
    expect(visitor.text).toContain("emptied the trash: 1 video");
  });
});

describe("tags", () => {
  const listed = (name: string) => itemsOf("Tags").find((item) => item.startsWith(name));
  const tagsOf = (id: string) => JSON.parse(String(columnOf("tags", id)));
  beforeEach(async () => {
    site.database().exec("DELETE FROM tag_changes; DELETE FROM tag_aliases");
    site.addVideo({ id: "a", title: "Aurora", tags: '["hd","night"]' });
    site.addVideo({ id: "b", title: "Beach", tags: '["HD"]' });
    site.addVideo({ id: "c", title: "Cinema", tags: '["4K","HD"]', status: "hidden" });
    await visitor.open(MANAGE);
    await visitor.follow("Tags");
  });

  it("can be renamed, merged and removed, and a merge can be undone", async () => {
    expect(listed("HD")).toMatch(/Other spellings: hd.*3 videos.*2 public/);
    await visitor.follow("night");
    visitor.fill("Name", "one, two", dialog());
    await visitor.press("Rename");
    expect(visitor.field("Name", dialog()).value).toBe("one, two");
    expect(textOf(dialog())).toContain("A tag can’t contain a comma.");
    visitor.fill("Name", "After dark", dialog());
    await visitor.press("Rename");
    expect(visitor.text).toContain("Changed “night” to “After dark” in 1 video.");
    expect(listed("After dark")).toContain("Aliases: night");

    visitor.check("Select HD");
    visitor.check("Select 4K");
    visitor.fill("Merge into", "HD", form("Selected tags"));
    await pressIn(form("Selected tags"), "Merge");
    expect(visitor.text).toContain("Changed “HD”, “4K” to “HD” in 2 videos.");
    expect([tagsOf("a"), tagsOf("c")]).toEqual([["HD", "After dark"], ["HD"]]);

    await visitor.press("Undo: changed the tag “HD”, “4K” to “HD”");
    expect(visitor.text).toContain("Undid the change in 2 videos.");
    expect([tagsOf("a"), tagsOf("c")]).toEqual([
      ["hd", "After dark"],
      ["4K", "HD"],
    ]);

    await visitor.follow("4K");
    await visitor.press("Remove from all videos");
    expect(visitor.text).toContain("Removed “4K” from 1 video.");
    expect(listed("4K")).toBeUndefined();
  });

  it("can be found by an alias", async () => {
    await visitor.follow("HD");
    visitor.fill("Aliases", "night", dialog());
    await visitor.press("Save aliases");
    expect(textOf(dialog())).toContain("“night” is a tag in use");
    visitor.fill("Aliases", "high definition", dialog());
    await visitor.press("Save aliases");
    expect(visitor.text).toContain("The aliases of “HD” were saved.");
    await visitor.open("/?search=High+Definition");
    expect(visitor.in().getAllByRole("article")).toHaveLength(2);
    await visitor.open("/tags/high%20definition");
    expect(visitor.address).toBe("/tags/HD");
  });
});

it("renames, reorders and resets categories", async () => {
  site.addVideo({ title: "Aurora", category: "amateur" });
  const label = () => visitor.field("Name of desi");
  const choices = () =>
    visitor
      .in(visitor.in().getByRole("navigation", { name: "Video categories" }))
      .getAllByRole("link")
      .map(textOf);
  await visitor.open("/admin/tags");
  label().value = "Trending";
  await visitor.press("Save categories");
  expect(textOf(region("Categories"))).toContain("This name is already in use.");
  expect(label().value).toBe("Trending");
  label().value = "Indian";
  await visitor.press("Move Blacked up");
  expect(visitor.text).toContain("Categories saved.");

  await visitor.open("/");
  expect(choices()).toEqual([
    ...["All Videos", "Blacked", "Indian", "English", "Model/Star", "Premium Video"],
    "Trending",
  ]);
  await visitor.follow("Indian");
  expect(visitor.address).toContain("category=desi");
  expect(visitor.in().getAllByRole("article").map(textOf)).toEqual([
    expect.stringContaining("Indian"),
  ]);
  await visitor.open("/no-such-page");
  const popular = visitor.in().getByRole("navigation", { name: "Popular Categories" });
  expect(textOf(visitor.in(popular).getAllByRole("link")[0]!)).toBe("Blacked");

  await visitor.open("/admin/tags");
  await visitor.press("Reset to defaults");
  expect(visitor.text).toContain("Categories were reset to their defaults.");
  await visitor.open("/");
  expect(choices()[1]).toBe("Desi");
});

it("creates a series, adds videos to it, reorders them, and plays the series", async () => {
  for (const [id, title] of Object.entries({ a: "Aurora", b: "Beach", c: "Cinema" })) {
    site.addVideo({ id, title });
  }
  const order = site
    .database()
    .prepare("SELECT group_concat(video_id, '' ORDER BY position) FROM series_videos")
    .pluck();
  await visitor.open(MANAGE);
  await visitor.follow("Series");
  visitor.fill("New series", "Nights out");
  await visitor.press("Create series");
  expect(visitor.text).toContain("No videos in this series yet.");

  await visitor.follow("Choose videos");
  for (const title of ["Aurora", "Beach", "Cinema"]) visitor.check(`Select ${title}`);
  const bar = form("Selected videos");
  visitor.fill("Bulk actions", "Add to series", bar);
  visitor.fill("Series", "Nights out", bar);
  await pressIn(bar, "Apply");
  expect(textOf(dialog())).toContain("3 videos will change.");
  expect(textOf(visitor.in(dialog()).getByRole("row", { name: /Aurora/ }))).toContain(
    "in “Nights out”",
  );
  await visitor.press("Apply to 3 videos");
  expect(visitor.text).toContain("Added 3 videos to the series.");
  expect(order.get()).toBe("cba");

  await visitor.follow("Series");
  await visitor.follow("Nights out");
  await visitor.press("Move Aurora up");
  expect(itemsOf("Videos in the series")[1]).toContain("Aurora");
  visitor.fill("Position of Cinema", "3");
  await visitor.submit(visitor.field("Position of Cinema"));
  expect(itemsOf("Videos in the series")[2]).toContain("Cinema");
  expect(order.get()).toBe("abc");
  visitor.fill("Visibility", "Public");
  visitor.fill("Description", "One after the other");
  await visitor.press("Save series");
  expect(visitor.text).toContain("Your changes were saved.");

  await visitor.follow("/series/nights-out");
  expect(visitor.text).toContain("One after the other");
  await visitor.follow("Play all");
  const list = () => region("Nights out");
  expect(textOf(list())).toContain("1 of 3 videos");
  await visitor.follow(visitor.in(list()).getByRole("link", { name: /Beach/ }));
  expect(textOf(list())).toContain("2 of 3 videos");
  const canonical = visitor.document.querySelector("link[rel=canonical]")!;
  expect(canonical.getAttribute("href")).toMatch(/\/video\/b$/);
  await visitor.follow("Back");
  expect(visitor.address).toMatch(/^\/series\/nights-out/);
});
