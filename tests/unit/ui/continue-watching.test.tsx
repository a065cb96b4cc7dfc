// @vitest-environment jsdom
import { Outlet, useRevalidator } from "@remix-run/react";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FirstPaintScript } from "~/features/site/document-head";
import { ContinueWatching } from "~/features/watch/continue-watching";
import { ToastProvider } from "~/ui/feedback/toast";
import { renderRoutes } from "./page";

const KEY = "visitor";
const storedDocument = (resume: string) => `{"resume":${resume}}`;

/** The IDs of the public videos, each of which is one minute long. */
let published: string[] = [];
let fails = false;
const requested = vi.fn<(url: string, init: RequestInit) => void>();
let catalogueVersion = 1;

beforeEach(() => {
  published = [];
  fails = false;
  requested.mockReset();
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    requested(url, init);
    if (fails) throw new TypeError("offline");
    const requestedIds = (init.body as URLSearchParams).getAll("id");
    const videos = requestedIds
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

async function open(history: unknown, publicIds: string[]): Promise<void> {
  localStorage.setItem(KEY, JSON.stringify({ resume: history }));
  published = publicIds;
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
const stored = () => JSON.parse(localStorage.getItem(KEY) ?? "{}").resume ?? null;
const ids = Array.from({ length: 11 }, (_, index) => String(index + 1));
const points = ids.map((id) => [id, Number(id) * 5]);

describe("the Continue watching section", () => {
  it("shows started videos, newest first, with links to the positions where playback stopped", async () => {
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
    // The IDs of the watched videos aren't part of the requested URL.
    expect(requested.mock.calls.map(([url, { method }]) => [url, method])).toEqual([
      ["/saved/videos", "POST"],
    ]);
  });

  it("shows at most eight videos and removes videos that are no longer public, even while it is open", async () => {
    await open([["never", 30], ...points], ids.slice(0, 10));
    await waitFor(() => expect(titles()).toHaveLength(8));
    expect(titles()[0]).toBe("Video 10");
    await waitFor(() => expect(stored()).toEqual(points.slice(0, 10)));
    published = ids.slice(0, 9);
    fireEvent.click(screen.getByText("Catalogue changes"));
    await waitFor(() => expect(titles()[0]).toBe("Video 9"));
    expect(titles()).toHaveLength(8);
  });

  it("shows a message if the videos are no longer public", async () => {
    await open([["gone", 30]], []);
    await screen.findByText("The videos you started are no longer available.");
    expect(stored()).toEqual([]);
  });

  it("is updated by changes in other tabs, and can be cleared with a button", async () => {
    await open([["1", 30]], ["1", "2"]);
    await waitFor(() => expect(titles()).toEqual(["Video 1"]));
    localStorage.setItem(
      KEY,
      storedDocument(
        JSON.stringify([
          ["1", 30],
          ["2", 40],
        ]),
      ),
    );
    act(() => void window.dispatchEvent(new StorageEvent("storage", { key: KEY })));
    await waitFor(() => expect(titles()).toEqual(["Video 2", "Video 1"]));
    fireEvent.click(screen.getByText("Clear history"));
    expect([section(), stored(), document.activeElement?.id]).toEqual([null, null, "list-heading"]);
  });

  it("shows a loading error and retries", async () => {
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
  "the Continue watching section with the stored history %s",
  (text) => {
    beforeEach(() => {
      if (text !== undefined) localStorage.setItem(KEY, storedDocument(text));
      else {
        vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
          throw new DOMException("denied", "SecurityError");
        });
      }
    });

    it("reserves no space before the first paint, and shows nothing", async () => {
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
      expect(requested).not.toHaveBeenCalled();
    });
  },
);

it("reserves space before the first paint if a video has been started", () => {
  localStorage.setItem(KEY, storedDocument('[["v1",30]]'));
  renderRoutes([{ path: "/", Component: () => <FirstPaintScript nonce={undefined} /> }]);
  new Function(document.querySelector("script")!.textContent!)();
  expect(document.documentElement.dataset.begun).toBe("");
  delete document.documentElement.dataset.begun;
});
