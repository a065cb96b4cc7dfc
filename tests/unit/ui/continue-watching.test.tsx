// @vitest-environment jsdom
import { Outlet, useRevalidator } from "@remix-run/react";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FirstPaintScript } from "~/features/site/document-head";
import { ContinueWatching } from "~/features/watch/continue-watching";
import { ToastProvider } from "~/ui/feedback/toast";
import { renderRoutes } from "./page";

const KEY = "visitor";
const document_ = (resume: string) => `{"resume":${resume}}`;

/** Ids of public videos, each one minute long. */
let published: string[] = [];
let fails = false;
const asked = vi.fn<(address: string, init: RequestInit) => void>();
let catalogueVersion = 1;

beforeEach(() => {
  published = [];
  fails = false;
  asked.mockReset();
  vi.stubGlobal("fetch", async (address: string, init: RequestInit) => {
    asked(address, init);
    if (fails) throw new TypeError("offline");
    const ids = (init.body as URLSearchParams).getAll("id");
    const videos = ids
      .filter((id) => published.includes(id))
      .map((id) => ({ id, title: `Video ${id}`, duration: "1:00", thumbnailUrl: null }));
    return Response.json({ videos });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  localStorage.clear();
});

function Root() {
  const { revalidate } = useRevalidator();
  return (
    <ToastProvider>
      <Outlet />
      <button type="button" onClick={revalidate}>
        Catalogue changes
      </button>
    </ToastProvider>
  );
}

async function open(history: unknown, files: string[]): Promise<void> {
  localStorage.setItem(KEY, JSON.stringify({ resume: history }));
  published = files;
  const list = () => (
    <>
      <h1 id="list-heading" tabIndex={-1}>
        All videos
      </h1>
      <ContinueWatching />
    </>
  );
  renderRoutes([
    {
      id: "root",
      path: "/",
      loader: () => ({ catalogueVersion: catalogueVersion++ }),
      Component: Root,
      children: [{ index: true, Component: list }],
    },
  ]);
  await screen.findByText("All videos");
}

const section = () => document.querySelector(".continue-watching");
const titles = () =>
  [...document.querySelectorAll(".continue-watching h3")].map((each) => each.textContent);
const kept = () => JSON.parse(localStorage.getItem(KEY) ?? "{}").resume ?? null;
const numbers = Array.from({ length: 11 }, (_, index) => String(index + 1));
const points = numbers.map((id) => [id, Number(id) * 5]);

describe("continue watching", () => {
  it("shows what was begun, the latest first, and leads to where it was left", async () => {
    await open(
      [
        ["1", 10],
        ["2", 30],
      ],
      ["1", "2"],
    );
    await waitFor(() => expect(titles()).toEqual(["Video 2", "Video 1"]));
    const [first] = [...document.querySelectorAll(".continue-watching a")];
    expect(first!.getAttribute("href")).toBe("/video/2#t=30");
    expect(first!.textContent).toContain("0:30 left");
    expect(first!.textContent).toContain("Watched: 50%");
    // What was watched is in no address.
    expect(asked.mock.calls.map(([address, { method }]) => [address, method])).toEqual([
      ["/saved/videos", "POST"],
    ]);
  });

  it("shows eight at most, and forgets what isn't public any more, also while it is open", async () => {
    await open([["never", 30], ...points], numbers.slice(0, 10));
    await waitFor(() => expect(titles()).toHaveLength(8));
    expect(titles()[0]).toBe("Video 10");
    await waitFor(() => expect(kept()).toEqual(points.slice(0, 10)));
    published = numbers.slice(0, 9);
    fireEvent.click(screen.getByText("Catalogue changes"));
    await waitFor(() => expect(titles()[0]).toBe("Video 9"));
    expect(titles()).toHaveLength(8);
  });

  it("says once that nothing of it is public any more", async () => {
    await open([["gone", 30]], []);
    await screen.findByText("The videos you started are no longer available.");
    expect(kept()).toEqual([]);
  });

  it("forgets all of it at the press of a button, and follows other tabs", async () => {
    await open([["1", 30]], ["1", "2"]);
    await waitFor(() => expect(titles()).toEqual(["Video 1"]));
    localStorage.setItem(
      KEY,
      document_(
        JSON.stringify([
          ["1", 30],
          ["2", 40],
        ]),
      ),
    );
    act(() => void window.dispatchEvent(new StorageEvent("storage", { key: KEY })));
    await waitFor(() => expect(titles()).toEqual(["Video 2", "Video 1"]));
    fireEvent.click(screen.getByText("Clear history"));
    expect([section(), kept(), document.activeElement?.id]).toEqual([null, null, "list-heading"]);
  });

  it("says that the cards can't be had, and asks again", async () => {
    fails = true;
    await open([["new", 30]], ["new"]);
    await screen.findByText("Error loading videos: Failed to fetch videos.");
    fails = false;
    fireEvent.click(screen.getByText("Retry"));
    await waitFor(() => expect(titles()).toEqual(["Video new"]));
    expect(screen.queryByText(/^Error loading/)).toBeNull();
  });
});

describe.each(["{", "7", '{"a":1}', '[["v1","x"],[5,5],null]', "[]", undefined])(
  "where the browser holds %s",
  (text) => {
    beforeEach(() => {
      if (text !== undefined) localStorage.setItem(KEY, document_(text));
      else {
        vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
          throw new DOMException("denied", "SecurityError");
        });
      }
    });

    it("no space is reserved before the first paint, and nothing is shown", async () => {
      renderRoutes([
        {
          path: "/",
          Component: () => (
            <ToastProvider>
              <FirstPaintScript nonce={undefined} />
              <ContinueWatching />
              <p>List</p>
            </ToastProvider>
          ),
        },
      ]);
      await screen.findByText("List");
      new Function(document.querySelector("script")!.textContent!)();
      expect(document.documentElement.dataset.begun).toBeUndefined();
      expect(section()).toBeNull();
      expect(asked).not.toHaveBeenCalled();
    });
  },
);

it("reserves the space before the first paint where something was begun", () => {
  localStorage.setItem(KEY, document_('[["v1",30]]'));
  renderRoutes([{ path: "/", Component: () => <FirstPaintScript nonce={undefined} /> }]);
  new Function(document.querySelector("script")!.textContent!)();
  expect(document.documentElement.dataset.begun).toBe("");
  delete document.documentElement.dataset.begun;
});
