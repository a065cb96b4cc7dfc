import { cleanup, fireEvent, render } from "@testing-library/react";
import { vi } from "vitest";
import type { PlayerVideo } from "~/features/player/types";
import { VideoPlayer, type VideoPlayerProps } from "~/features/player/video-player";
import { useFakeVideos } from "./fake-video";

export const VIDEO: PlayerVideo = {
  id: "one",
  title: "A quiet evening",
  fileUrl: "/media/videos/u/1.mp4",
  posterUrl: "/media/thumbnails/u/1.jpg",
};

interface Options extends Omit<VideoPlayerProps, "video"> {
  element?: Parameters<typeof useFakeVideos>[0];
}

/**
 * Renders the player with a fake 100-second video. Finds elements by their attributes, because each query by role takes
 * a tenth of a second.
 */
export function renderPlayer(
  video: Partial<PlayerVideo> = {},
  { element, ...props }: Options = {},
) {
  useFakeVideos(element);
  const { container, unmount } = render(<VideoPlayer video={{ ...VIDEO, ...video }} {...props} />);
  return { ...playerOf(container), unmount };
}

/** Renders the same player on a new page, like after a reload. */
export function renderAgain(...args: Parameters<typeof renderPlayer>) {
  cleanup();
  vi.restoreAllMocks();
  return renderPlayer(...args);
}

function playerOf(container: HTMLElement) {
  const root = container.querySelector<HTMLElement>(".player")!;
  const video = root.querySelector("video")!;
  const all = <E extends HTMLElement>(selector: string) => [...root.querySelectorAll<E>(selector)];
  const named = <E extends HTMLElement>(selector: string, label: string) =>
    all<E>(selector).find((one) => (one.ariaLabel ?? one.textContent ?? "").startsWith(label));
  return {
    root,
    video,
    /** Returns a menu item by its label or the beginning of its text, or undefined if it isn't shown. */
    button: (label: string) => named<HTMLButtonElement>("button", label),
    item: (label: string) => named<HTMLButtonElement>('[role^="menuitem"]', label),
    slider: (label: string) => named<HTMLInputElement>('input[type="range"]', label)!,
    menu: () => root.querySelector('[role="menu"]'),
    press: (label: string) => fireEvent.click(named("button", label)!),
    textOf: (selector: string) => root.querySelector(selector)?.textContent,
    isIdle: () => root.hasAttribute("data-idle"),
  };
}

/** Presses a key on the focused element. Returns whether the player left the key to the browser. */
export const key = (name: string, more: KeyboardEventInit = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key: name, ...more });
