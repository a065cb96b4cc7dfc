import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import type { Readable } from "node:stream";
import { Builder, By, Capabilities, Key, type Origin, until } from "selenium-webdriver";
import { freePort } from "../free-port";
import type { Browser } from "./browser";

const TIMEOUT_MS = 30_000;
/** On Debian, the folder's name contains the API version. */
const MINI_BROWSERS = ["4.1", "6.0", "4.0"].flatMap((version) =>
  ["x86_64", "aarch64"].map(
    (machine) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-${version}/MiniBrowser`,
  ),
);

/** The characters that the driver uses for keys that don't type text, by `KeyboardEvent.key`. */
const KEYS: Record<string, string> = {
  Enter: Key.ENTER,
  End: Key.END,
  ArrowDown: Key.ARROW_DOWN,
  Shift: Key.SHIFT,
};

/** Launches WebKitGTK, controlled through WebDriver. It needs a virtual display, because it has no headless mode. */
export async function launchWebKit(): Promise<Browser> {
  const binary = MINI_BROWSERS.find((file) => fs.existsSync(file));
  if (!binary) throw new Error("webkit2gtk-driver has no MiniBrowser");
  const { xvfb, display } = await startXvfb();
  const port = await freePort();
  const service = spawn("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], {
    env: { ...process.env, DISPLAY: display, LIBGL_ALWAYS_SOFTWARE: "1" },
    stdio: "ignore",
  });
  const server = `http://127.0.0.1:${port}`;
  await untilResponding(`${server}/status`);
  const driver = await new Builder()
    .usingServer(server)
    .withCapabilities(
      new Capabilities({
        browserName: "MiniBrowser",
        "webkitgtk:browserOptions": { binary, args: ["--automation"] },
      }),
    )
    .build();
  await driver.manage().window().setRect({ x: 0, y: 0, width: 1280, height: 900 });

  const present = (selector: string) =>
    driver.wait(until.elementLocated(By.css(selector)), TIMEOUT_MS);
  const visible = async (selector: string) => {
    const element = await present(selector);
    await driver.wait(until.elementIsVisible(element), TIMEOUT_MS);
    return element;
  };
  return {
    name: "WebKit",
    open: (address) => driver.get(address),
    run: (script, ...args) =>
      driver.executeScript(`return (${script}).apply(null, arguments)`, ...args),
    click: async (selector) => (await visible(selector)).click(),
    hover: async (selector) =>
      driver
        .actions()
        .move({ origin: (await visible(selector)) as unknown as Origin })
        .perform(),
    type: async (selector, text) => (await visible(selector)).sendKeys(text),
    press: (key) =>
      driver
        .actions()
        .sendKeys(KEYS[key] ?? key)
        .perform(),
    chooseFile: async (selector, file) => (await present(selector)).sendKeys(file),
    async close() {
      await driver.quit().catch(() => undefined);
      await terminate(service);
      await terminate(xvfb);
    },
  };
}

/** Starts a virtual display on a free display number. */
async function startXvfb(): Promise<{ xvfb: ChildProcess; display: string }> {
  const xvfb = spawn(
    "Xvfb",
    ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
    { stdio: ["ignore", "ignore", "ignore", "pipe"] },
  );
  const [number] = (await once(xvfb.stdio[3] as Readable, "data")) as [Buffer];
  return { xvfb, display: `:${String(number).trim()}` };
}

async function untilResponding(address: string): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (await fetch(address).catch(() => undefined)) return;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new Error(`${address} doesn't respond`);
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode) return;
  child.kill();
  await once(child, "exit");
}
