// @vitest-environment jsdom
import { fireEvent, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { nextSurprise } from "~/features/catalogue/surprise-link";
import { moved, UpNext, useUpNext } from "~/features/watch/up-next";
import type { VideoCardData } from "~/shared/video-card";
import { renderAt } from "./page";

afterEach(() => {
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

const RELATED = ["a", "b", "c", "d", "e", "f"].map((id) => ({
  id,
  title: `Video ${id}`,
})) as unknown as VideoCardData[];

function Page({ currentId = "x" }) {
  return <UpNext videos={useUpNext(currentId, RELATED)} hrefFor={(id) => `/video/${id}`} />;
}
const titles = () =>
  within(screen.getByRole("list"))
    .getAllByRole("link")
    .map((link) => link.textContent);
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

const storeUpNext = (json: string) => sessionStorage.setItem("visitor", `{"upNext":${json}}`);

describe("the Up next list", () => {
  it("starts with the five best related videos, and videos can be moved and removed", () => {
    renderAt(<Page />);
    expect(titles()).toEqual(["Video a", "Video b", "Video c", "Video d", "Video e"]);
    expect(sessionStorage.length).toBe(0);
    press("Move Video a down");
    expect(titles().slice(0, 2)).toEqual(["Video b", "Video a"]);
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Move Video a down");
    expect(screen.getByRole("status").textContent).toBe("Video a: 2 of 5");
    press("Remove Video b");
    expect(titles()).toEqual(["Video a", "Video c", "Video d", "Video e"]);
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Remove Video a");
    press("Move Video a up");
    expect(titles()[0]).toBe("Video a");
  });

  it("excludes the current video, and falls back to the related ones when it is empty", () => {
    storeUpNext(JSON.stringify([RELATED[5], RELATED[0]]));
    const { unmount } = renderAt(<Page currentId="a" />);
    expect(titles()).toEqual(["Video f"]);
    unmount();
    storeUpNext(JSON.stringify([RELATED[0]]));
    renderAt(<Page currentId="a" />);
    expect(titles()[0]).toBe("Video a");
  });

  it.each(["{", "null", "7", '[{"id":1}]', '"x"'])("ignores invalid stored data: %s", (text) => {
    storeUpNext(text);
    renderAt(<Page />);
    expect(titles()).toHaveLength(5);
  });

  it("keeps the order of the other videos when one is moved", () => {
    expect(moved(["a", "b", "c", "d"], 0, 2)).toEqual(["b", "c", "a", "d"]);
    expect(moved(["a", "b", "c", "d"], 3, 0)).toEqual(["d", "a", "b", "c"]);
  });
});

describe("surprise videos", () => {
  it("don't repeat until all have been returned, even if the server repeats them", async () => {
    const ids = ["a", "b", "a", "c"];
    vi.stubGlobal("fetch", async (url: string) => {
      const step = Number(new URL(url, "http://site.invalid").searchParams.get("step"));
      return Response.json({ id: ids[step % ids.length], total: 4 });
    });
    expect(await nextSurprise("")).toBe("a");
    expect(await nextSurprise("")).toBe("b");
    expect(await nextSurprise("")).toBe("c");
    expect(await nextSurprise("")).toBe("a");
  });

  it("never include the current video, and are undefined if the server doesn't have any", async () => {
    vi.stubGlobal("fetch", async (url: string) =>
      Response.json({ id: url.includes("step=0") ? "a" : "b", total: 2 }),
    );
    expect(await nextSurprise("a")).toBe("b");
    vi.stubGlobal("fetch", async () => new Response(null, { status: 404 }));
    expect(await nextSurprise("")).toBeUndefined();
  });
});
