// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { Profiler } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { VideoPlayer } from "~/features/player/video-player";
import { textTrackList } from "./fake-video";

const renders = vi.fn();
/** Called when a button renders its icon. */
const icons = vi.hoisted(() => vi.fn());
vi.mock("lucide-react", async (original) => {
  const all = await original<typeof import("lucide-react")>();
  const watched = { Play: all.Play, Settings: all.Settings, Volume2: all.Volume2 };
  const counted = Object.entries(watched).map(([name, Icon]) => [
    name,
    () => {
      icons(name);
      return <Icon />;
    },
  ]);
  return { ...all, ...Object.fromEntries(counted) };
});

beforeEach(() => {
  // jsdom has this element but doesn't implement its methods.
  vi.spyOn(HTMLMediaElement.prototype, "load").mockImplementation(() => {});
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockImplementation(() => {});
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  vi.spyOn(HTMLMediaElement.prototype, "textTracks", "get").mockReturnValue(textTrackList());
  render(
    <Profiler id="player" onRender={renders}>
      <VideoPlayer
        video={{ id: "one", title: "A quiet evening", fileUrl: "/media/videos/u/1.mp4" }}
      />
    </Profiler>,
  );
  is({ duration: 100, currentTime: 1, readyState: 4, seeking: false, error: null });
  fireEvents("durationchange");
  renders.mockClear();
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  localStorage.clear();
});

const video = () => document.querySelector("video")!;
const spinner = () => document.querySelector(".player-spinner");
const slider = () => screen.getByRole<HTMLInputElement>("slider", { name: "Seek" });

function is(state: Partial<HTMLVideoElement>): void {
  for (const [key, value] of Object.entries(state)) {
    Object.defineProperty(video(), key, { configurable: true, writable: true, value });
  }
}
function fireEvents(...events: string[]): void {
  act(() => {
    for (const event of events) video().dispatchEvent(new Event(event));
  });
}

it("doesn't rerender the player as time passes", () => {
  for (let second = 1; second <= 60; second++) {
    is({ currentTime: second });
    fireEvents("timeupdate", "progress");
  }
  expect(renders).not.toHaveBeenCalled();
  expect(slider().value).toBe("60");
});

it("doesn't rerender the player while the seek bar is being dragged with a loaded storyboard", () => {
  const bar = slider();
  const dragTo = (second: number) => {
    fireEvent.pointerMove(bar, { clientX: second });
    is({ seeking: true });
    fireEvent.change(bar, { target: { value: String(second) } });
    fireEvents("seeking");
    is({ seeking: false });
    fireEvents("seeked", "timeupdate");
  };
  // Pressing the seek bar causes one render, because the controls are in use from then on.
  fireEvent.pointerDown(bar);
  dragTo(1);
  dragTo(2);
  renders.mockClear();
  for (let second = 3; second <= 60; second++) dragTo(second);
  expect(renders).not.toHaveBeenCalled();
  expect(video().currentTime).toBe(60);
});

it("rerenders only the spinner when each seek has to wait for the network", () => {
  icons.mockClear();
  for (let second = 2; second <= 20; second++) {
    is({ seeking: true, readyState: 1, currentTime: second });
    fireEvents("seeking", "waiting");
    expect(spinner()).not.toBeNull();
    is({ seeking: false, readyState: 4 });
    fireEvents("seeked", "canplay", "timeupdate");
    expect(spinner()).toBeNull();
  }
  expect(renders).toHaveBeenCalled();
  expect(icons).not.toHaveBeenCalled();
});
