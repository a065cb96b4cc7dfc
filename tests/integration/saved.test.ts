import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loader } from "~/routes/saved-videos";
import { ids, video, write } from "../catalogue-rows";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

async function asked(...wanted: string[]): Promise<string[]> {
  const query = new URLSearchParams(wanted.map((id) => ["id", id]));
  const request = new Request(`https://videos.example/saved/videos?${query}`);
  const answer = await loader({ request, params: {}, context: {} });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("Cache-Control")).toBe("no-store");
  return ids((await answer.json()).videos);
}

describe("the cards of saved videos", () => {
  it("are those of the ids, in their order, each once, and of nothing that is not public", async () => {
    write([
      video({ id: "a" }),
      video({ id: "b" }),
      video({ id: "hidden", status: "hidden" }),
      video({ id: "review", status: "review" }),
    ]);
    expect(await asked("b", "hidden", "a", "review", "nobody", "b", "' OR 1=1")).toEqual([
      "b",
      "a",
    ]);
    expect(await asked()).toEqual([]);
  });

  it("are at most 24 at once", async () => {
    const many = Array.from({ length: 30 }, (_, n) => `v${n}`);
    write(many.map((id) => video({ id })));
    expect(await asked(...many)).toEqual(many.slice(0, 24));
  });
});
