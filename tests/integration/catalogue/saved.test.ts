import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { action, loader } from "~/features/watch/routes/saved-videos";
import { ids, video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

function sendRequest(body: URLSearchParams | string, method = "POST"): Promise<Response> {
  const headers = { Origin: "https://videos.example" };
  const request = new Request("https://videos.example/saved/videos", { method, headers, body });
  return action({ request, params: {}, context: {} });
}

async function returnedIds(...wanted: string[]): Promise<string[]> {
  const response = await sendRequest(new URLSearchParams(wanted.map((id) => ["id", id])));
  expect(response.status).toBe(200);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  return ids((await response.json()).videos);
}

describe("the cards of saved videos", () => {
  it("are returned only for public videos, once each and in the requested order", async () => {
    write([
      video({ id: "a" }),
      video({ id: "b" }),
      video({ id: "hidden", status: "hidden" }),
      video({ id: "review", status: "review" }),
    ]);
    expect(await returnedIds("b", "hidden", "a", "review", "nobody", "b", "' OR 1=1")).toEqual([
      "b",
      "a",
    ]);
    expect(await returnedIds()).toEqual([]);
  });

  it("are limited to 24 per request", async () => {
    const many = Array.from({ length: 30 }, (_, n) => `v${n}`);
    write(many.map((id) => video({ id })));
    expect(await returnedIds(...many)).toEqual(many.slice(0, 24));
  });

  it("are requested with the ids in the body, because URLs are logged", async () => {
    expect(loader().status).toBe(405);
    expect(loader().headers.get("Allow")).toBe("POST");
    expect((await sendRequest("id=a", "PUT")).status).toBe(405);
  });

  it("aren't returned if the request body is too large or has the wrong content type", async () => {
    const long = new URLSearchParams({ id: "x".repeat(20_000) });
    await expect(sendRequest(long)).rejects.toMatchObject({ status: 413 });
    await expect(sendRequest("id=a")).rejects.toMatchObject({ status: 415 });
  });

  it("have a higher rate limit than forms, because Home requests them on every visit", async () => {
    write([video({ id: "a" })]);
    for (let times = 0; times < 310; times += 1) expect(await returnedIds("a")).toEqual(["a"]);
  });
});
