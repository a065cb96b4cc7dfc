// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from "vitest";
import { openAdaptive } from "~/features/player/adaptive-source";
import { rememberAudioTrack } from "~/features/player/memory";

const GERMAN = { label: "German", language: "de" };
const ENGLISH = { label: "English", language: "en" };

beforeEach(() => localStorage.clear());

/** Creates a video element like that of a device with native HLS, with a stream's audio tracks. */
async function open(...tracks: (typeof GERMAN)[]) {
  const element = document.createElement("video");
  element.canPlayType = () => "maybe";
  const audioTracks = tracks.map((track, index) => ({ ...track, enabled: index === 0 }));
  const value = tracks.length > 0 ? audioTracks : undefined;
  Object.defineProperty(element, "audioTracks", { value });
  const events = {
    mayAttach: () => true,
    onRendition: vi.fn(),
    onAudioTracks: vi.fn(),
    onFailed: vi.fn(),
    onLost: vi.fn(),
  };
  const adaptive = await openAdaptive(element, "/master.m3u8", events);
  element.dispatchEvent(new Event("loadedmetadata"));
  const enabled = () => audioTracks.map((track) => track.enabled);
  return { adaptive, element, enabled, onAudioTracks: events.onAudioTracks };
}

it("lists audio tracks once the metadata has loaded, and switches between them", async () => {
  const { adaptive, onAudioTracks, enabled } = await open(GERMAN, ENGLISH);
  expect(onAudioTracks).toHaveBeenCalledExactlyOnceWith([GERMAN, ENGLISH], 0);
  adaptive.chooseAudioTrack(1);
  expect(enabled()).toEqual([false, true]);
});

it("starts with the last chosen track, or another one in its language", async () => {
  rememberAudioTrack(ENGLISH);
  const { onAudioTracks, enabled } = await open(GERMAN, { label: "English (SDH)", language: "en" });
  expect(onAudioTracks.mock.calls[0]?.[1]).toBe(1);
  expect(enabled()).toEqual([false, true]);
  rememberAudioTrack({ label: "Suomi", language: "fi" });
  expect((await open(GERMAN, ENGLISH)).enabled()).toEqual([true, false]);
});

it("doesn't list any audio tracks if the browser doesn't report any, or after the stream has been closed", async () => {
  const { onAudioTracks, adaptive, element } = await open();
  expect(onAudioTracks).toHaveBeenCalledExactlyOnceWith([], 0);
  adaptive.close();
  element.dispatchEvent(new Event("loadedmetadata"));
  expect(onAudioTracks).toHaveBeenCalledTimes(1);
});
