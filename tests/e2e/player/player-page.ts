import { expect, type Locator, type Page } from "playwright/test";

export interface VideoState {
  paused: boolean;
  time: number;
  volume: number;
  muted: boolean;
  speed: number;
  filter: string;
}

/** Page object for the player, with its visible controls and the state of the video element. */
export class PlayerPage {
  readonly video: Locator;
  readonly root: Locator;
  readonly seek: Locator;

  constructor(readonly page: Page) {
    this.root = page.getByRole("region", { name: "Video player" });
    this.video = this.root.locator("video");
    this.seek = this.root.getByRole("slider", { name: "Seek" });
  }

  /** Opens a video's page and waits for hydration and the file's metadata. */
  async open(id: string, query = ""): Promise<void> {
    await this.page.goto(`/video/${id}${query}`);
    await this.ready();
  }

  /** Opens the page with a stopped clock. See `stopClock`. */
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

  /** Expects that the video is playing and its position advances. */
  async expectPlaying(): Promise<void> {
    await this.expectState({ paused: false });
    const { time } = await this.state();
    await expect.poll(async () => (await this.state()).time).toBeGreaterThan(time);
  }

  /** Slows the video down, so that it lasts long enough even on a slow machine. */
  async playSlowly(speed = 0.25): Promise<void> {
    await this.video.evaluate((video: HTMLVideoElement, speed) => {
      // Also set the default rate, because each new source starts with it.
      video.defaultPlaybackRate = speed;
      video.playbackRate = speed;
    }, speed);
  }

  /** Seeks a paused or playing video, and waits until the frame is available. */
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

  /** Returns how many seconds are buffered from the beginning. */
  bufferedEnd(): Promise<number> {
    return this.video.evaluate(({ buffered }: HTMLVideoElement) =>
      buffered.length > 0 ? buffered.end(0) : 0,
    );
  }

  /** Records the element's events of the given types. `events()` returns them. */
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

  /** Stops the page's timers. After that, they run only during `page.clock.runFor`. */
  async stopClock(): Promise<void> {
    const now = await this.page.evaluate(() => Date.now());
    await this.page.clock.pauseAt(now + 1_000);
  }

  /** Returns a point on the video, given as fractions of its width and height. */
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
