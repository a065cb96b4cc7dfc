import { publishVideo } from "../../publish-video";
import { expect, test } from "../site";
import { PlayerPage } from "./player-page";

test.describe("the keys", () => {
  test("of the specification", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await page.clock.install();
    await player.open(publishVideo(site));
    await page.keyboard.press("Space");
    await player.expectPlaying();
    await page.keyboard.press("Space");
    await player.expectState({ paused: true });
    await player.seekTo(5);
    // Seeks add up while the answer to the first is shown, however slow the machine is.
    await player.stopClock();
    await page.keyboard.press("ArrowRight");
    await player.expectState({ time: 15 });
    await expect(player.root.getByText("10 s")).toBeVisible();
    await page.keyboard.press("ArrowRight");
    await player.expectState({ time: 25 });
    await expect(player.root.getByText("20 s")).toBeVisible();
    await page.clock.runFor(700);
    await expect(player.root.getByText("20 s")).toBeHidden();
    await page.clock.resume();
    await page.keyboard.press("ArrowLeft");
    await player.expectState({ time: 15 });
    await page.keyboard.press("m");
    await player.expectState({ muted: true });
    await page.keyboard.press("m");
    await player.expectState({ muted: false, volume: 0.5 });
    await page.keyboard.press("f");
    await expect
      .poll(() => page.evaluate(() => document.fullscreenElement?.tagName))
      .toBe("SECTION");
    await page.keyboard.press("f");
    await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBeNull();
  });

  test("beyond it: j k l, digits, speed, volume, theatre, the list", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await page.clock.install();
    await player.open(publishVideo(site));
    await page.keyboard.press("5");
    await player.expectState({ time: 20 });
    await page.keyboard.press("l");
    await player.expectState({ time: 30 });
    await page.keyboard.press("j");
    await player.expectState({ time: 20 });
    await page.keyboard.press("k");
    await player.expectPlaying();
    await page.keyboard.press("k");
    await player.stopClock();
    await page.keyboard.press(">");
    await player.expectState({ speed: 1.25 });
    await expect(player.root.getByText("1.25×")).toBeVisible();
    await page.clock.resume();
    await page.keyboard.press("<");
    await page.keyboard.press("<");
    await player.expectState({ speed: 0.75 });
    await page.keyboard.press("t");
    await expect(player.root).toHaveAttribute("data-theatre");
    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await expect(list).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(list).toBeHidden();
  });

  test("up and down scroll the page until the player has the focus", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.openStopped(publishVideo(site));
    await page.keyboard.press("ArrowDown");
    await player.expectState({ volume: 1 });
    await player.button("Mute").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await player.expectState({ volume: 0.9 });
    await expect(player.root.getByText("90%")).toBeVisible();
    await page.keyboard.press("ArrowUp");
    await player.expectState({ volume: 0.95 });
  });

  test("not while typing, nor with a modifier", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.seekTo(20);
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
    await page.locator("#field").blur();
    await page.locator("#rich").blur();
    for (const keys of ["Control+m", "Alt+ArrowUp", "Shift+ArrowRight", "Meta+k", "Shift+F"]) {
      await page.keyboard.press(keys);
    }
    expect(await player.state()).toEqual(before);
    expect(await page.evaluate(() => document.fullscreenElement)).toBeNull();
  });

  test("a held space bar toggles once, a held arrow seeks at a bearable pace", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.record("play", "pause", "seeking");
    for (let repeat = 0; repeat < 10; repeat++) await page.keyboard.down("Space");
    await page.keyboard.up("Space");
    await player.expectPlaying();
    expect(await player.events()).toEqual(["play"]);
    await page.keyboard.press("k");
    for (let repeat = 0; repeat < 12; repeat++) await page.keyboard.down("ArrowRight");
    await page.keyboard.up("ArrowRight");
    const seeks = async () => (await player.events()).filter((event) => event === "seeking").length;
    // The element tells of it after the key, on a busy machine some time after.
    await expect.poll(seeks).toBeGreaterThanOrEqual(1);
    expect(await seeks()).toBeLessThan(12);
  });

  test("everything is reached with Tab, and pressed with Enter or Space", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.seek.focus();
    const names: string[] = [];
    for (let step = 0; step < 9; step++) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
      names.push(name ?? "");
    }
    expect(names).toEqual([
      "Play",
      "Back 10 seconds",
      "Forward 10 seconds",
      "Mute",
      "Volume",
      "Settings",
      "Picture in picture",
      "Theatre mode",
      "Fullscreen",
    ]);
    await player.button("Play").focus();
    await page.keyboard.press("Space");
    await player.expectPlaying();
    await page.keyboard.press("Enter");
    await player.expectState({ paused: true });
  });

  test("the settings are a menu of the keyboard too", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.button("Settings").focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitem", { name: /^Speed/ })).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await expect(page.getByRole("menuitemcheckbox", { name: "Loop" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitemcheckbox", { name: "Loop" })).toBeChecked();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitemradio", { name: "Normal" })).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await player.expectState({ speed: 1.5 });
    await expect(page.getByRole("menu")).toBeHidden();
    await expect(player.button("Settings")).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitem", { name: /^Speed/ })).toContainText("1.5×");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menu")).toBeHidden();
    await expect(player.button("Settings")).toBeFocused();
  });

  test("the settings are a menu button: Escape goes a page back, then to the button", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    const settings = player.button("Settings");
    await expect(settings).toHaveAttribute("aria-haspopup", "menu");
    await expect(settings).toHaveAttribute("aria-expanded", "false");
    await settings.focus();
    await page.keyboard.press("Space");
    await expect(settings).toHaveAttribute("aria-expanded", "true");
    await page.keyboard.press("End");
    await expect(page.getByRole("menuitem", { name: "Keyboard shortcuts" })).toBeFocused();
    await page.keyboard.press("ArrowDown");
    const speed = page.getByRole("menuitem", { name: /^Speed/ });
    await expect(speed).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menuitemradio", { name: "Normal" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(speed).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menu")).toBeHidden();
    await expect(settings).toBeFocused();
    await page.keyboard.press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(settings).toBeFocused();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await expect(page.getByRole("menu")).toBeHidden();
    await expect(player.button("Picture in picture")).toBeFocused();
  });

  test("a speed chosen with the mouse closes the menu, and the space bar still plays", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await page.clock.install();
    await player.open(publishVideo(site));
    await player.button("Settings").click();
    await page.getByRole("menuitem", { name: /^Speed/ }).click();
    await page.getByRole("menuitemradio", { name: "1.5×" }).click();
    await player.expectState({ speed: 1.5 });
    await expect(page.getByRole("menu")).toBeHidden();
    await expect(player.button("Settings")).toBeFocused();
    await page.keyboard.press("Space");
    await player.expectPlaying();
    await expect(page.getByRole("menu")).toBeHidden();
    // A focus that is not shown does not keep the controls either.
    await page.mouse.move(5, 5);
    await page.clock.runFor(6_000);
    await player.expectControls(false);
  });

  test("comma and full stop step by a frame when paused, and only then", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.seekTo(10);
    await page.keyboard.press(".");
    await expect.poll(async () => (await player.state()).time).toBeCloseTo(10.06, 3);
    await page.keyboard.press(".");
    await expect.poll(async () => (await player.state()).time).toBeCloseTo(10.1, 3);
    await page.keyboard.press(",");
    await expect.poll(async () => (await player.state()).time).toBeCloseTo(10.06, 3);
    await page.keyboard.press("Space");
    await player.expectPlaying();
    await player.record("seeking");
    await page.keyboard.press(",");
    await page.keyboard.press("m");
    await player.expectState({ muted: true });
    expect(await player.events()).toEqual([]);
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toContainText(
      "One frame back, forward, when paused",
    );
  });
});
