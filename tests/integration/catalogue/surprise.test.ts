import { afterEach, beforeEach, expect, it } from "vitest";
import { loader } from "~/features/catalogue/routes/surprise";
import { video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const sendRequest = (query: string) =>
  loader({
    request: new Request(`https://videos.example/surprise${query}`),
    params: {},
    context: {},
  });

it("redirects to a published video, or to Home if there is none", async () => {
  expect((await sendRequest("")).headers.get("Location")).toBe("/");
  expect((await sendRequest("?seed=1&step=0")).status).toBe(404);
  write([video({ id: "hidden", status: "hidden" }), video({ id: "a" })]);
  const response = await sendRequest("");
  expect([response.status, response.headers.get("Location")]).toEqual([302, "/video/a?from=home"]);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
});

it("visits all videos before repeating any", async () => {
  write(Array.from({ length: 20 }, (_, n) => video({ id: `v${n}` })));
  const seen = new Set<string>();
  for (let step = 0; step < 20; step++) {
    const { id, total } = await (await sendRequest(`?seed=1234567&step=${step}`)).json();
    expect(total).toBe(20);
    seen.add(id);
  }
  expect(seen.size).toBe(20);
});

it.each(["seed=x", "seed=-1", "seed=1e9", "seed=99999999999", "seed=1&step=x", "seed=&step="])(
  "ignores the invalid parameters %s",
  async (query) => {
    write([video({ id: "a" })]);
    expect((await sendRequest(`?${query}`)).status).toBe(200);
  },
);
