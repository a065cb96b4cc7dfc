// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { createCommands } from "~/features/player/commands";
import { createFeedback } from "~/features/player/feedback";
import { observePlayback } from "~/features/player/playback-state";
import { fakeVideo, happen } from "./fake-video";

function player(video = fakeVideo()) {
  const feedback = createFeedback();
  const playback = observePlayback(video);
  return { video, feedback, playback, commands: createCommands(video, playback, feedback) };
}

describe("the volume (specification, section 9)", () => {
  it("is 0.5 after unmuting", () => {
    const { video, commands } = player();
    commands.toggleMute();
    expect(video.muted).toBe(true);
    commands.toggleMute();
    expect([video.muted, video.volume]).toEqual([false, 0.5]);
  });
  it("is muted at 0", () => {
    const { video, commands } = player();
    commands.setVolume(0);
    expect(video.muted).toBe(true);
    commands.toggleMute();
    expect([video.muted, video.volume]).toEqual([false, 0.5]);
  });
  it("is clamped to its range", () => {
    const { video, commands } = player();
    commands.setVolume(7);
    expect(video.volume).toBe(1);
    commands.setVolume(-1);
    expect(video.volume).toBe(0);
  });
  it("returns to the same value after 20 steps up and 20 steps down", () => {
    const { video, commands } = player();
    for (let step = 0; step < 20; step++) commands.changeVolume(-0.05);
    expect(video.volume).toBe(0);
    for (let step = 0; step < 20; step++) commands.changeVolume(0.05);
    expect([video.muted, video.volume]).toEqual([false, 1]);
  });
});

describe("the brightness (specification, section 9)", () => {
  it("is applied as a CSS filter and clamped to its range", () => {
    const { video, commands } = player();
    commands.setBrightness(9);
    expect([commands.brightness(), video.style.filter]).toEqual([2, "brightness(2.00)"]);
    commands.setBrightness(0);
    expect([commands.brightness(), video.style.filter]).toEqual([0.2, "brightness(0.20)"]);
    commands.setBrightness(1);
    expect(video.style.filter).toBe("");
  });
});

describe("seeking", () => {
  it("never goes past the start or the end of the video", () => {
    const { video, commands } = player();
    commands.seekBy(-10);
    expect(video.currentTime).toBe(0);
    commands.seekTo(95);
    commands.seekBy(10);
    expect(video.currentTime).toBe(100);
  });
  it("jumps to a fraction of the duration only if the duration is known", () => {
    const { video, commands } = player();
    commands.seekToFraction(0.7);
    expect(video.currentTime).toBe(70);
    happen(video, "durationchange", { duration: Number.NaN });
    commands.seekToFraction(0.2);
    expect(video.currentTime).toBe(70);
  });
});

describe("the speed", () => {
  it("steps through the available speeds and stops at the slowest and fastest speed", () => {
    const { video, commands } = player();
    commands.stepSpeed(1);
    expect(video.playbackRate).toBe(1.25);
    for (let step = 0; step < 20; step++) commands.stepSpeed(1);
    expect(video.playbackRate).toBe(2);
    for (let step = 0; step < 20; step++) commands.stepSpeed(-1);
    expect(video.playbackRate).toBe(0.25);
  });
  it("is kept when another rendition is loaded", () => {
    const { video, commands } = player();
    commands.setSpeed(1.5);
    expect(video.defaultPlaybackRate).toBe(1.5);
  });
});

describe("togglePlay", () => {
  it("doesn't throw if the browser blocks playback", async () => {
    const { video, commands, playback } = player();
    video.play = () => Promise.reject(new DOMException("no gesture", "NotAllowedError"));
    commands.togglePlay();
    await Promise.resolve();
    expect(playback.get().paused).toBe(true);
  });
  it("leaves a paused video paused after a hundred calls", () => {
    const { video, commands } = player();
    for (let press = 0; press < 100; press++) commands.togglePlay();
    expect(video.paused).toBe(true);
  });
});

describe("switching to another video", () => {
  it("resets speed, brightness and loop, but not the volume", () => {
    const { video, commands } = player();
    commands.setSpeed(2);
    commands.setBrightness(0.5);
    commands.toggleLoop();
    commands.setVolume(0.3);
    commands.reset();
    expect(video.playbackRate).toBe(1);
    expect(video.style.filter).toBe("");
    expect(commands.brightness()).toBe(1);
    expect(video.loop).toBe(false);
    expect(video.volume).toBe(0.3);
  });
});

describe("observePlayback", () => {
  it("reports buffering only while playback is waiting for data", () => {
    const { video, playback } = player();
    let notifications = 0;
    playback.subscribe(() => notifications++);
    void video.play();
    happen(video, "waiting", { readyState: 2 });
    expect(playback.get().buffering).toBe(true);
    happen(video, "canplay", { readyState: 3 });
    expect(playback.get().buffering).toBe(false);
    const before = notifications;
    for (let tick = 0; tick < 10; tick++) happen(video, "timeupdate");
    expect(notifications).toBe(before);
  });
  it("doesn't report buffering after an error", () => {
    const { video, playback } = player();
    playback.subscribe(() => {});
    void video.play();
    happen(video, "waiting", { readyState: 1 });
    happen(video, "error", { error: { code: 2 } });
    expect(playback.get().buffering).toBe(false);
  });
});

describe("stepFrame", () => {
  it("moves by exactly one frame from any position while the video is paused", () => {
    const { video, commands } = player();
    video.currentTime = 1.0399;
    commands.stepFrame(1, 25);
    expect(video.currentTime).toBeCloseTo(26.5 / 25);
    commands.stepFrame(1, 25);
    expect(video.currentTime).toBeCloseTo(27.5 / 25);
    commands.stepFrame(-1, 25);
    expect(video.currentTime).toBeCloseTo(26.5 / 25);
    video.currentTime = 0;
    commands.stepFrame(-1, 60);
    expect(video.currentTime).toBe(0);
  });
  it("does nothing during playback", async () => {
    const { video, commands } = player();
    await video.play();
    commands.stepFrame(1, 25);
    expect(video.currentTime).toBe(0);
  });
});

describe("pressing and holding the video", () => {
  it("plays at double speed, and restores the chosen speed on release", () => {
    const { video, feedback, commands } = player();
    commands.setSpeed(1.25);
    commands.holdSpeed(true);
    commands.holdSpeed(true);
    expect([video.playbackRate, video.defaultPlaybackRate]).toEqual([2, 1.25]);
    expect(feedback.store.get()).toMatchObject({ kind: "note", text: "2×" });
    commands.holdSpeed(false);
    expect([video.playbackRate, commands.isSpeedHeld()]).toEqual([1.25, false]);
    expect(feedback.store.get()).toBeUndefined();
  });
});
