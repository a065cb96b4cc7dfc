import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loader } from "~/features/catalogue/routes/search-suggestions";
import { alternativeSearches, suggestions } from "~/features/catalogue/search-suggestions.server";
import { sqliteHandle } from "~db/client.server";
import { video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ PUBLIC_URL: "https://videos.example" });
});
afterEach(() => site.remove());

const texts = async (text: string, category?: "desi" | "english") =>
  (await suggestions(text, category)).map((each) => each.text);
const sendRequest = (query: string, address = "192.0.2.1") =>
  loader({
    request: new Request(`https://videos.example/search/suggestions${query}`, {
      headers: { "X-Forwarded-For": address },
    }),
    params: {},
    context: {},
  } as never);

describe("suggestions", () => {
  it("include tags and titles that contain the text, and list titles that start with it before other titles", async () => {
    write([
      video({ id: "inside", title: "Midnight walk" }),
      video({ id: "word", title: "A night out" }),
      video({ id: "begins", title: "Night train", tags: ["Late night", "other"] }),
      video({ id: "none", title: "Morning", tags: ["night life"] }),
    ]);
    expect(await suggestions("  NIGHT ", undefined)).toEqual([
      { kind: "tag", text: "night life", href: "/tags/night%20life" },
      { kind: "tag", text: "Late night", href: "/tags/Late%20night" },
      { kind: "video", text: "Night train", href: "/video/begins?from=home&search=NIGHT" },
      { kind: "video", text: "A night out", href: "/video/word?from=home&search=NIGHT" },
      { kind: "video", text: "Midnight walk", href: "/video/inside?from=home&search=NIGHT" },
    ]);
    expect(await texts("i")).toContain("Midnight walk");
    expect(await texts("   ")).toEqual([]);
    expect(await texts("nothing like it")).toEqual([]);
  });

  it("are limited to 8, contain no duplicates, and include titles even if many tags match", async () => {
    write(
      Array.from({ length: 30 }, (_, i) =>
        video({ id: `v${i}`, title: `Beach ${i % 10}`, tags: [`beach ${i}`] }),
      ),
    );
    const found = await suggestions("beach", undefined);
    expect(found).toHaveLength(8);
    expect(found.filter(({ kind }) => kind === "tag")).toHaveLength(3);
    expect(new Set(found.map(({ text }) => text)).size).toBe(8);
    write([
      video({ id: "one", title: "Other", tags: Array.from({ length: 9 }, (_, i) => `xy${i}`) }),
    ]);
    expect(await suggestions("xy", undefined)).toHaveLength(8);
  });

  it("exclude a video as soon as it is hidden", async () => {
    write([video({ id: "a", title: "Secret night", tags: ["secret"] })]);
    expect(await texts("secret")).toEqual(["secret", "Secret night"]);
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    expect(await texts("secret")).toEqual([]);
    write([video({ id: "b", title: "Other", tags: ["plain"], status: "review" })]);
    expect(await texts("plain")).toEqual([]);
  });

  it("contain only titles from the selected category", async () => {
    write([
      video({ id: "a", title: "Night one", category: "amateur" }),
      video({ id: "b", title: "Night two", category: "english" }),
    ]);
    expect(await texts("night", "desi")).toEqual(["Night one"]);
  });

  it.each([`"`, "'", "%", "*", "a OR b", "^x", "(", "\\", "🎬", "\ufffd", "x".repeat(5_000)])(
    "treat %j as plain text",
    async (text) => {
      write([video({ id: "a", title: `before ${text.slice(0, 100)} after` })]);
      const response = await sendRequest(`?q=${encodeURIComponent(text)}`);
      expect(response.status).toBe(200);
    },
  );

  it("are never cached, and ignore an invalid category", async () => {
    write([video({ id: "a", title: "Night" })]);
    const response = await sendRequest("?q=night&category=nonsense");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await response.json()).toMatchObject({ suggestions: [{ text: "Night" }] });
    expect(await (await sendRequest("")).json()).toEqual({ suggestions: [] });
  });

  it("are rate-limited by IP address", async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 1_201; i += 1) statuses.add((await sendRequest("", "192.0.2.7")).status);
    expect([...statuses]).toEqual([200, 429]);
    const rejected = await sendRequest("", "192.0.2.7");
    expect(Number(rejected.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await sendRequest("", "192.0.2.8")).status).toBe(200);
  });

  it("are empty when the worker threads are overloaded", async () => {
    write([video({ id: "a", title: "Night" })]);
    const responses = await Promise.all(Array.from({ length: 40 }, () => texts("night")));
    expect(responses.filter(({ length }) => length === 1)).toHaveLength(16);
    expect(await texts("night")).toEqual(["Night"]);
  });
});

describe("a search without results", () => {
  const nearest = async (text: string, category?: "desi" | "english") =>
    (await alternativeSearches(text, category)).nearest;

  it("suggests the most similar search text that has results", async () => {
    write([
      video({ id: "a", title: "Neon Rain", tags: ["one take"] }),
      video({ id: "b", title: "Neon City" }),
    ]);
    expect(await nearest("noen")).toBe("neon");
    expect(await nearest("NOEN rian")).toBe("neon rain");
    expect(await nearest("neno xyzzy")).toBe("neon");
    expect(await nearest("one tkae")).toBe("one take");
    expect(await nearest("xyzzy")).toBeUndefined();
    expect(await nearest("rain city")).toBeUndefined();
  });

  it("suggests nothing from hidden videos or other categories", async () => {
    write([
      video({ id: "a", title: "Secret", status: "hidden" }),
      video({ id: "b", title: "Neon", category: "english" }),
    ]);
    expect(await nearest("secrte")).toBeUndefined();
    expect(await nearest("noen", "desi")).toBeUndefined();
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    expect(await nearest("noen")).toBeUndefined();
  });

  it("suggests the categories that have videos, largest first", async () => {
    write([
      video({ id: "a", category: "english" }),
      video({ id: "b", category: "featured" }),
      video({ id: "c", category: "premium" }),
      video({ id: "d", category: "desi", status: "hidden" }),
      video({ id: "e", category: "of another program" }),
    ]);
    const { categories } = await alternativeSearches("nothing", undefined);
    expect(categories).toEqual(["premium", "english"]);
  });
});
