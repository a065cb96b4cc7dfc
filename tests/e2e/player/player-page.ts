import { expect, type Locator, type Page } from "playwright/test";

export interface VideoState {
  paused: boolean;
  time: number;
  volume: number;
  muted: boolean;
  speed: number;
  filter: string;
}

/** The player of the page, by what a person sees and an element says. */
export class PlayerPage {
  readonly video: Locator;
  readonly root: Locator;
  readonly seek: Locator;

  constructor(readonly page: Page) {
    this.root = page.getByRole("region", { name: "Video player" });
    this.video = this.root.locator("video");
    this.seek = this.root.getByRole("slider", { name: "Seek" });
  }

  /** Opens the page of a video and waits for scripts and the file's length. */
  async open(id: string, query = ""): Promise<void> {
    await this.page.goto(`/video/${id}${query}`);
    await this.ready();
  }

  /** The same with a clock that stands still, see `stopClock`. */
  async openStopped(id: string): Promise<void> {
    await this.page.clock.install();
    await this.open(id);
    await this.stopClock();
  }

  async ready(): Promise<void> {
    await expect(this.seek).toBeEnabled();
  }

  button(name: string | RegExp): Locator {
    return this.root.getByRole("button", { name });
  }

  state(): Promise<VideoState> {
    return this.video.evaluate((video: HTMLVideoElement) => ({
      paused: video.paused,
      time: video.currentTime,
      volume: video.volume,
      muted: video.muted,
      speed: video.playbackRate,
      filter: video.style.filter,
    }));
  }

  async expectState(state: Partial<VideoState>): Promise<void> {
    await expect.poll(() => this.state()).toMatchObject(state);
  }

  /** Playing, with the picture moving. */
  async expectPlaying(): Promise<void> {
    await this.expectState({ paused: false });
    const { time } = await this.state();
    await expect.poll(async () => (await this.state()).time).toBeGreaterThan(time);
  }

  /** So that the video outlasts what a slow machine does meanwhile. */
  async playSlowly(speed = 0.25): Promise<void> {
    await this.video.evaluate((video: HTMLVideoElement, speed) => {
      // The default too: another source would begin with it.
      video.defaultPlaybackRate = speed;
      video.playbackRate = speed;
    }, speed);
  }

  /** Moves a paused or playing video, and waits until the picture is there. */
  async seekTo(seconds: number): Promise<void> {
    await this.video.evaluate(async (video: HTMLVideoElement, to) => {
      if (video.currentTime === to) return;
      const done = new Promise((resolve) =>
        video.addEventListener("seeked", resolve, { once: true }),
      );
      video.currentTime = to;
      await done;
    }, seconds);
  }

  /** Seconds, of what has been loaded from the beginning. */
  bufferedEnd(): Promise<number> {
    return this.video.evaluate(({ buffered }: HTMLVideoElement) =>
      buffered.length > 0 ? buffered.end(0) : 0,
    );
  }

  /** Starts keeping the element's events of these kinds; `events()` lists what came. */
  async record(...kinds: string[]): Promise<void> {
    await this.video.evaluate((video, kinds) => {
      const seen: string[] = [];
      Object.assign(window, { seenEvents: seen });
      for (const kind of kinds) video.addEventListener(kind, () => seen.push(kind));
    }, kinds);
  }

  events(): Promise<string[]> {
    return this.page.evaluate(() => (window as unknown as { seenEvents: string[] }).seenEvents);
  }

  /** From here on no timer of the page runs but through `page.clock.runFor`. */
  async stopClock(): Promise<void> {
    const now = await this.page.evaluate(() => Date.now());
    await this.page.clock.pauseAt(now + 1_000);
  }

  /** A point of the picture, as parts of its width and height. */
  async at(x: number, y: number): Promise<{ x: number; y: number }> {
    const box = await this.video.boundingBox();
    if (!box) throw new Error("The video is not on screen");
    return { x: box.x + box.width * x, y: box.y + box.height * y };
  }

  async click(x: number, y = 0.4): Promise<void> {
    const point = await this.at(x, y);
    await this.page.mouse.click(point.x, point.y);
  }

  async expectControls(shown: boolean): Promise<void> {
    if (shown) await expect(this.root).not.toHaveAttribute("data-idle");
    else await expect(this.root).toHaveAttribute("data-idle");
  }
}
