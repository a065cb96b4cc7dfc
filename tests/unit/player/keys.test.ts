// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { belongsElsewhere, keyCommand } from "~/features/player/keys";

const press = (key: string, more = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

describe("keyCommand (specification, section 2)", () => {
  it.each([
    [" ", { do: "play" }],
    ["f", { do: "fullscreen" }],
    ["m", { do: "mute" }],
    ["ArrowRight", { do: "seek", by: 10 }],
    ["ArrowLeft", { do: "seek", by: -10 }],
    ["k", { do: "play" }],
    ["j", { do: "seek", by: -10 }],
    ["l", { do: "seek", by: 10 }],
    ["ArrowUp", { do: "volume", by: 0.05 }],
    ["ArrowDown", { do: "volume", by: -0.05 }],
    ["0", { do: "jump", fraction: 0 }],
    ["9", { do: "jump", fraction: 0.9 }],
    [",", { do: "frame", step: -1 }],
    [".", { do: "frame", step: 1 }],
    // Caps lock.
    ["F", { do: "fullscreen" }],
  ])("maps the key %j to %j", (key, command) => expect(keyCommand(press(key))).toEqual(command));

  it("accepts Shift for the speed and the shortcut list", () => {
    expect(keyCommand(press(">", { shiftKey: true }))).toEqual({ do: "speed", step: 1 });
    expect(keyCommand(press("<", { shiftKey: true }))).toEqual({ do: "speed", step: -1 });
    expect(keyCommand(press("?", { shiftKey: true }))).toEqual({ do: "shortcuts" });
  });

  it.each(["ctrlKey", "metaKey", "altKey", "shiftKey"])(
    "ignores keys while %s is held",
    (modifier) => {
      for (const key of [" ", "f", "m", "ArrowRight", "ArrowLeft", "0"]) {
        expect(keyCommand(press(key, { [modifier]: true }))).toBeUndefined();
      }
    },
  );

  it("ignores other keys, even if they are named like object properties", () => {
    for (const key of ["x", "Tab", "Enter", "Escape", "constructor", "toString"]) {
      expect(keyCommand(press(key))).toBeUndefined();
    }
  });
});

describe("belongsElsewhere", () => {
  afterEach(() => document.body.replaceChildren());

  function render(html: string, playerHtml = "") {
    document.body.innerHTML = `${html}<section id="player">${playerHtml}</section>`;
    const player = document.getElementById("player")!;
    return { player, target: document.querySelector("[data-target]") ?? document.body };
  }

  it.each([
    '<input type="search" data-target>',
    '<input type="checkbox" data-target>',
    "<textarea data-target></textarea>",
    "<select data-target></select>",
    '<div contenteditable="true"><b data-target>x</b></div>',
  ])("leaves every key to a form field: %s", (html) => {
    const { player, target } = render(html);
    for (const key of [" ", "f", "m", "k", "5", "ArrowLeft", "?"]) {
      expect(belongsElsewhere(key, target, player)).toBe(true);
    }
  });

  it.each([
    "<button data-target>x</button>",
    "<details><summary data-target>x</summary></details>",
    '<div role="tab" data-target>x</div>',
  ])("leaves the space bar to elements that it activates: %s", (html) => {
    const { player, target } = render(html);
    expect(belongsElsewhere(" ", target, player)).toBe(true);
    expect(belongsElsewhere("f", target, player)).toBe(false);
    expect(belongsElsewhere("ArrowLeft", target, player)).toBe(false);
  });

  it("leaves the arrow keys to the volume slider, but not to the seek bar", () => {
    const volume = render("", '<input type="range" data-target>');
    expect(belongsElsewhere("ArrowLeft", volume.target, volume.player)).toBe(true);
    expect(belongsElsewhere(" ", volume.target, volume.player)).toBe(false);
    const seek = render("", '<input type="range" data-seek-bar data-target>');
    expect(belongsElsewhere("ArrowLeft", seek.target, seek.player)).toBe(false);
  });

  it("lets the up and down keys scroll the page unless the player has focus", () => {
    const page = render("<a href='/' data-target>x</a>");
    expect(belongsElsewhere("ArrowUp", page.target, page.player)).toBe(true);
    expect(belongsElsewhere("ArrowDown", page.player, page.player)).toBe(false);
  });

  it("leaves every key to an open dialog, unless the dialog belongs to the player", () => {
    const page = render("<dialog open><p data-target>x</p></dialog>");
    expect(belongsElsewhere("f", document.body, page.player)).toBe(true);
    const own = render("", '<div role="dialog" aria-modal="true"></div>');
    expect(belongsElsewhere("f", document.body, own.player)).toBe(false);
  });

  it("leaves the keys to the player everywhere else", () => {
    const { player } = render("<p>x</p>");
    for (const key of [" ", "f", "m", "ArrowRight"]) {
      expect(belongsElsewhere(key, document.body, player)).toBe(false);
    }
  });
});
