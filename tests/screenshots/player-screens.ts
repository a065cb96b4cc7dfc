import type { Page } from "playwright";
import type { SampleVideos, Screen, ScreenOptions } from "./screen";

/** Returns the screens for the video page and its player. */
export function playerScreens({ long, plain, withoutFile, all }: SampleVideos): Screen[] {
  const screen = (name: string, id: string, options?: ScreenOptions): Screen => ({
    name,
    address: `/video/${id}`,
    audience: "visitor",
    ...options,
  });
  return [
    screen("Video", plain),
    screen("Video, chapters", long),
    screen("Video without a file", withoutFile),
    screen("Video, playing", long, { scriptedSteps: playVideo }),
    screen("Video, hovering over the seek bar", long, {
      overlay: true,
      scriptedSteps: async (page) => {
        await playVideo(page);
        await player(page).getByRole("slider", { name: "Seek" }).hover();
      },
    }),
    screen("Video, captions", long, {
      overlay: true,
      scriptedSteps: async (page) => {
        await playVideo(page);
        await player(page).focus();
        await page.keyboard.press("c");
        await page.locator(".player-captions p").first().waitFor();
      },
    }),
    screen("Video, settings", long, {
      overlay: true,
      scriptedSteps: async (page) => {
        await playVideo(page);
        await player(page).getByRole("button", { name: "Settings" }).click();
        await page.getByRole("menu").waitFor();
      },
    }),
    screen("Video, shortcuts", plain, {
      overlay: true,
      scriptedSteps: async (page) => {
        await ready(page);
        await page.keyboard.press("?");
        await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      },
    }),
    screen("Video, partly watched", plain, {
      overlay: true,
      remembers: { resume: [[plain, 12]] },
      scriptedSteps: ready,
    }),
    screen("Video, at its end", plain, {
      overlay: true,
      scriptedSteps: async (page) => {
        await playVideo(page);
        await video(page).evaluate((element: HTMLVideoElement) => {
          element.currentTime = element.duration - 0.2;
        });
        await page.getByRole("region", { name: "Next video" }).waitFor();
      },
    }),
    screen("Video, playback error", plain, {
      overlay: true,
      scriptedSteps: async (page) => {
        await page.route(/\/media\/videos\//, (route) => route.abort());
        await page.reload();
        await ready(page);
        await video(page).evaluate((element: HTMLVideoElement) => {
          element.play().catch(() => undefined);
        });
        await player(page).getByRole("alert").waitFor();
      },
    }),
    screen("Video, theater", plain, {
      scriptedSteps: async (page) => {
        await ready(page);
        await page.keyboard.press("t");
      },
    }),
    screen("Video, link copied", plain, {
      overlay: true,
      scriptedSteps: async (page) => {
        await ready(page);
        await page.getByRole("button", { name: "Share" }).first().click();
      },
    }),
    screen("Video, up next", plain, {
      scriptedSteps: async (page) => {
        await ready(page);
        await page.locator("summary").filter({ hasText: "Up next" }).click();
      },
    }),
    screen("Video, loading", all[1] ?? plain, {
      scriptedSteps: async (page) => {
        await ready(page);
        await page.route(/\.data/, () => undefined);
        await page.getByRole("complementary").getByRole("link").last().click();
        await page.getByText("Loading video...").waitFor();
      },
    }),
    screen("Mini player", plain, {
      overlay: true,
      remembers: { miniPlayer: true },
      scriptedSteps: async (page) => {
        await playVideo(page);
        await page.getByRole("link", { name: "Back", exact: true }).press("Enter");
        const mini = page.getByRole("region", { name: "Mini player" });
        await mini.getByRole("button", { name: "Pause" }).click();
      },
    }),
  ];
}

const player = (page: Page) => page.getByRole("region", { name: "Video player" });
const video = (page: Page) => page.locator(".player video").first();

/** Waits until the custom player has replaced the browser's own. */
async function ready(page: Page): Promise<void> {
  await player(page).getByRole("slider", { name: "Seek" }).waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
}

/** Plays the video until it shows a frame, and then hovers over it to show the controls. */
async function playVideo(page: Page): Promise<void> {
  await ready(page);
  await video(page).evaluate(async (element: HTMLVideoElement) => {
    element.muted = true;
    element.currentTime = 5;
    await element.play();
  });
  await page.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 5.2);
  await player(page).hover();
}
