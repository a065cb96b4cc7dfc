import fs from "node:fs";
import path from "node:path";
import { CHROMIUM_LAUNCH } from "../chromium";
import type { Browser } from "./browser";
import { launchChromium, launchFirefox } from "./puppeteer-browser";
import { launchWebKit } from "./webkit-browser";

const onPath = (program: string) =>
  (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, program))
    .find((file) => fs.existsSync(file));

const firefox = onPath("firefox-esr");

/** The engines of this machine; `npm test` says which are missing, `.ci/run` fails without one. */
export const INSTALLED: [engine: string, launch: () => Promise<Browser>][] = [];
if (CHROMIUM_LAUNCH.executablePath) INSTALLED.push(["Chromium", launchChromium]);
if (firefox) INSTALLED.push(["Firefox", () => launchFirefox(firefox)]);
if (onPath("WebKitWebDriver") && onPath("Xvfb")) INSTALLED.push(["WebKit", launchWebKit]);
