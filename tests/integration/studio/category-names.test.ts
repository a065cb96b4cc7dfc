import { afterEach, describe, expect, it } from "vitest";
import { applyCategoryNames } from "~/features/catalogue/category-names.server";
import { rssFeed } from "~/features/catalogue/feeds.server";
import { action } from "~/features/library/routes/tags";
import { listActivities } from "~/platform/activity/activity.server";
import {
  categoryLabel,
  DEFAULT_CATEGORIES,
  nameCategories,
  selectorChoices,
  shownCategories,
} from "~/shared/categories";
import { catalogueVersion } from "~db/changes.server";
import { sqliteHandle } from "~db/client.server";
import { addVideo, adminCookie, catchResponse, useAdminSite } from "../../admin-requests";

useAdminSite();
afterEach(() => nameCategories(undefined));

const ORIGIN = "http://localhost";
function send(fields: Record<string, string>, headers = {}) {
  const request = new Request(`${ORIGIN}/admin/tags`, {
    method: "POST",
    body: new URLSearchParams({ intent: "categories", ...fields }),
    headers: { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost", ...headers },
  });
  return action({ request, params: {}, context: {} });
}
const succeed = async (fields: Record<string, string>) =>
  expect((await catchResponse(() => send(fields))).status).toBe(302);
const shown = () => shownCategories().map(({ id, label }) => [id, label]);
const order = () => shownCategories().map(({ id }) => id);

describe("category names", () => {
  it("have default values until an admin changes them, and can be reset to the defaults", async () => {
    expect(applyCategoryNames()).toBeUndefined();
    expect(shownCategories()).toEqual(DEFAULT_CATEGORIES);
    const before = catalogueVersion().catalogue;
    await succeed({ "label.desi": " Indian\u0007 ", "label.premium": "Gold" });
    expect(categoryLabel("desi")).toBe("Indian");
    // Videos with a legacy category get the current label.
    expect([categoryLabel("amateur"), categoryLabel("retro")]).toEqual(["Indian", "retro"]);
    expect(selectorChoices().map(({ label }) => label)).toEqual([
      ...["All Videos", "Indian", "Blacked", "English", "Model/Star", "Gold", "Trending"],
    ]);
    // Cached pages show the old names, so they must be invalidated.
    expect(catalogueVersion().catalogue).not.toBe(before);
    expect((await listActivities())[0]).toMatchObject({
      action: "categories",
      detail: "Indian, Blacked, English, Model/Star, Gold",
    });
    await succeed({ reset: "1" });
    expect(shownCategories()).toEqual(DEFAULT_CATEGORIES);
    expect(applyCategoryNames()).toBeUndefined();
  });

  it("are loaded from the database after a restart", async () => {
    await succeed({ "label.english": "Anglo" });
    nameCategories(undefined);
    expect(applyCategoryNames()?.map(({ label }) => label)).toContain("Anglo");
    expect(categoryLabel("couples")).toBe("Anglo");
  });

  it("can be reordered one step at a time, up to either end of the list, without losing the entered names", async () => {
    await succeed({ move: "english:up", "label.english": "Anglo" });
    expect(shown().slice(0, 3)).toEqual([
      ["desi", "Desi"],
      ["english", "Anglo"],
      ["blacked", "Blacked"],
    ]);
    await succeed({ move: "english:up" });
    await succeed({ move: "english:up" });
    expect(order()[0]).toBe("english");
    await succeed({ move: "english:down" });
    await succeed({ move: "nothing:down" });
    await succeed({ move: "desi" });
    expect(order()).toEqual(["desi", "english", "blacked", "pornstar", "premium"]);
  });

  it("always cover all five categories: missing ones are appended, and unknown ones are ignored", () => {
    sqliteHandle().exec("INSERT INTO category_names VALUES ('premium', 'Gold', 0), ('x', 'X', 1)");
    applyCategoryNames();
    expect(order()).toEqual(["premium", "desi", "blacked", "english", "pornstar"]);
  });

  it.each([
    ["an empty name", { "label.desi": "  " }, "desi", "Enter a name."],
    ["an overlong name", { "label.desi": "x".repeat(41) }, "desi", "at most 40 characters"],
    ["a duplicate name", { "label.desi": "ENGLISH" }, "english", "This name is already in use."],
    ["a reserved name", { "label.desi": "trending" }, "desi", "This name is already in use."],
  ])("aren't saved if the form has %s, and the input is kept", async (_, fields, id, message) => {
    const response = (await send({ ...fields, "label.blacked": "Other" })) as unknown as {
      data: { error: { status: number; labels: object; errors: Record<string, string> } };
      init: { status: number };
    };
    expect(response.init.status).toBe(422);
    expect(response.data.error.errors[id]).toContain(message);
    expect(response.data.error.labels).toMatchObject({ blacked: "Other" });
    expect(shownCategories()).toEqual(DEFAULT_CATEGORIES);
    expect(await listActivities()).toEqual([]);
  });

  it("are used in feeds", async () => {
    addVideo({ status: "published", category: "amateur" });
    await succeed({ "label.desi": "Indian" });
    const feed = await rssFeed({ origin: ORIGIN, name: "Afterdark" });
    expect(feed).toContain("<category>Indian</category>");
  });
});
