// @vitest-environment jsdom
import { Link, Outlet, useParams } from "@remix-run/react";
import { act, cleanup, fireEvent } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { continued, MiniPlayerHost } from "~/features/player/continued";
import { VideoPlayer } from "~/features/player/video-player";
import { renderRoutes } from "../ui/page";
import { happen, useFakeVideos } from "./fake-video";

afterEach(() => {
  cleanup();
  act(() => continued.set(undefined));
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  localStorage.clear();
  Reflect.deleteProperty(navigator, "connection");
});

function Page() {
  const { id = "" } = useParams();
  const fileUrl = id === "none" ? "" : `/media/videos/u/${id}.mp4`;
  return <VideoPlayer video={{ id, title: `Video ${id}`, href: `/video/${id}`, fileUrl }} />;
}

function Layout() {
  return (
    <>
      <nav>
        {["/", "/video/one", "/video/two", "/video/none"].map((to) => (
          <Link key={to} to={to} />
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
      <MiniPlayerHost allowed />
    </>
  );
}

const mini = () => document.querySelector<HTMLElement>(".mini-player");
const video = () => document.querySelector("video")!;
const inMini = <E extends HTMLElement>(selector: string) => mini()!.querySelector<E>(selector)!;

async function goTo(url: string): Promise<void> {
  await act(async () => void fireEvent.click(document.querySelector(`nav a[href="${url}"]`)!));
}

/** Opens the page of a video and starts playback at 12 seconds. */
async function openPlaying(): Promise<void> {
  cleanup();
  vi.restoreAllMocks();
  useFakeVideos();
  const routes = [
    { path: "", Component: () => <p>List</p> },
    { path: "video/:id", Component: Page },
  ];
  renderRoutes([{ path: "/", Component: Layout, children: routes }], ["/video/one"]);
  act(() => {
    video().currentTime = 12;
    void video().play();
  });
}

async function leavePlaying(): Promise<void> {
  await openPlaying();
  await goTo("/");
  expect(mini()).not.toBeNull();
}

const stored = () => JSON.parse(localStorage.getItem("visitor") ?? "{}");

describe("the mini player", () => {
  it("continues at the same position, volume and speed, as does the video's page afterward", async () => {
    await openPlaying();
    act(() => Object.assign(video(), { volume: 0.4, playbackRate: 1.5, defaultPlaybackRate: 1.5 }));
    await goTo("/");
    const { currentTime, paused, volume, playbackRate } = video();
    expect({ currentTime, paused, volume, playbackRate }).toEqual({
      currentTime: 12,
      paused: false,
      volume: 0.4,
      playbackRate: 1.5,
    });
    expect(inMini("a").ariaLabel).toBe("Return to Video one");
    fireEvent.click(inMini("button"));
    expect([video().paused, inMini("button").ariaLabel]).toEqual([true, "Play"]);
    fireEvent.click(inMini("button"));
    expect([video().paused, inMini("button").ariaLabel]).toEqual([false, "Pause"]);
    act(() => happen(video(), "timeupdate", { currentTime: 20 }));
    await act(async () => void fireEvent.click(inMini("a")));
    expect(mini()).toBeNull();
    expect([video().currentTime, video().paused]).toEqual([20, false]);
  });

  it("closes with its button or Escape, and saves a position to resume from", async () => {
    await leavePlaying();
    fireEvent.click(inMini('[aria-label="Close mini player"]'));
    expect([mini(), document.activeElement?.id]).toEqual([null, "main"]);
    expect(stored().resume).toEqual([["one", 12]]);
    await leavePlaying();
    fireEvent.keyDown(inMini("a"), { key: "Escape" });
    expect(mini()).toBeNull();
  });

  it.each(["/video/two", "/video/none"])("closes on another video's page: %s", async (to) => {
    await leavePlaying();
    await goTo(to);
    expect(mini()).toBeNull();
    expect(document.querySelectorAll("video")).toHaveLength(to === "/video/none" ? 0 : 1);
  });

  it.each(["/video/two", "/video/none"])(
    "doesn't open on or after another video's page: %s",
    async (to) => {
      await openPlaying();
      await goTo(to);
      expect(mini()).toBeNull();
      await goTo("/");
      expect(mini()).toBeNull();
    },
  );

  it("doesn't open for a video that is paused or has ended", async () => {
    await openPlaying();
    act(() => video().pause());
    await goTo("/");
    expect(mini()).toBeNull();
    await openPlaying();
    act(() => happen(video(), "ended", { ended: true }));
    await goTo("/");
    expect(mini()).toBeNull();
  });

  it("doesn't open when it is turned off or the browser's data saver is on", async () => {
    await openPlaying();
    const press = (label: string) =>
      fireEvent.click(
        [...document.querySelectorAll("button")].find(
          (one) => one.ariaLabel === label || one.textContent === label,
        )!,
      );
    press("Settings");
    press("Mini player");
    expect(stored().miniPlayer).toBe(false);
    await goTo("/");
    expect(mini()).toBeNull();

    localStorage.clear();
    vi.resetModules();
    const { miniPlayer } = await import("~/features/player/continued");
    expect(miniPlayer.read()).toBe(true);
    Object.defineProperty(navigator, "connection", {
      configurable: true,
      value: { saveData: true },
    });
    vi.resetModules();
    expect((await import("~/features/player/continued")).miniPlayer.read()).toBe(false);
  });

  it("reports that the video's file is missing", async () => {
    vi.stubGlobal("fetch", async () => new Response(null, { status: 404 }));
    await leavePlaying();
    await act(async () => happen(video(), "error", { error: { code: 4 } }));
    expect(inMini('[role="alert"]').textContent).toBe("This video’s file is missing.");
  });
});
