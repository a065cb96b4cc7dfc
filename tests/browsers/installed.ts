import fs from "node:fs";
import path from "node:path";
import { CHROMIUM_LAUNCH } from "../chromium";
import type { Browser } from "./browser";
import { launchChromium, launchFirefox } from "./puppeteer-browser";
import { launchWebKit } from "./webkit-browser";

const findOnPath = (program: string) =>
  (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, program))
    .find((file) => fs.existsSync(file));

const firefox = findOnPath("firefox-esr");

/** The installed engines. `npm test` lists the missing ones, and `.ci/run` fails if one is missing. */
export const INSTALLED: [engine: string, launch: () => Promise<Browser>][] = [];
if (CHROMIUM_LAUNCH.executablePath) INSTALLED.push(["Chromium", launchChromium]);
if (firefox) INSTALLED.push(["Firefox", () => launchFirefox(firefox)]);
if (findOnPath("WebKitWebDriver") && findOnPath("Xvfb")) INSTALLED.push(["WebKit", launchWebKit]);
