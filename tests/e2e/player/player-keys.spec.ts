import { publishVideo } from "../../publish-video";
import { expect, test } from "../site";
import { PlayerPage } from "./player-page";

test("keyboard shortcuts control the player unless the user is typing, and Tab reaches every control", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  await player.open(publishVideo(site));
  await page.keyboard.press("Space");
  await player.expectPlaying();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await page.keyboard.press("Space");
  await player.expectState({ paused: true });
  await page.keyboard.press("5");
  await page.keyboard.press("ArrowRight");
  await player.expectState({ time: 30 });
  await page.keyboard.press(">");
  await player.expectState({ speed: 1.25 });
  await page.keyboard.press("f");
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.tagName)).toBe("SECTION");
  await page.keyboard.press("f");
  await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBeNull();

  await test.step("Tab reaches every control, and Enter and Space activate it", async () => {
    await player.seek.focus();
    const names: (string | null)[] = [];
    for (let step = 0; step < 9; step++) {
      await page.keyboard.press("Tab");
      names.push(await page.evaluate(() => document.activeElement?.ariaLabel ?? null));
    }
    expect(names).toEqual([
      "Play",
      "Back 10 seconds",
      "Forward 10 seconds",
      "Mute",
      "Volume",
      "Settings",
      "Picture-in-picture",
      "Theater mode",
      "Fullscreen",
    ]);
    await player.button("Play").focus();
    await page.keyboard.press("Space");
    await player.expectPlaying();
    await page.keyboard.press("Enter");
    await player.expectState({ paused: true });
    await player.button("Settings").focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitem", { name: /^Speed/ })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(player.button("Settings")).toBeFocused();
  });

  await test.step("keys typed into fields and key combinations are ignored", async () => {
    await page.evaluate(() => {
      document
        .querySelector("main")
        ?.append(
          Object.assign(document.createElement("input"), { id: "field" }),
          Object.assign(document.createElement("div"), { id: "rich", contentEditable: "true" }),
        );
    });
    const before = await player.state();
    for (const field of ["#field", "#rich"]) {
      await page.locator(field).focus();
      await page.keyboard.type("f m k 5 l");
      await page.keyboard.press("ArrowLeft");
    }
    await expect(page.locator("#field")).toHaveValue("f m k 5 l");
    await expect(page.locator("#rich")).toHaveText("f m k 5 l");
    await page.locator("#rich").blur();
    for (const keys of ["Control+m", "Alt+ArrowUp", "Shift+ArrowRight", "Meta+k", "Shift+F"]) {
      await page.keyboard.press(keys);
    }
    expect(await player.state()).toEqual(before);
    expect(await page.evaluate(() => document.fullscreenElement)).toBeNull();
  });
});
