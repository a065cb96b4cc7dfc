// npm run screenshots: takes screenshots of all screens in all variants, and creates an index page.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright";
import sharp from "sharp";
import { forgetSettings } from "~/platform/settings.server";
import { runScript } from "../../scripts/run-script";
import { CHROMIUM_LAUNCH } from "../chromium";
import { doubleTextSize } from "../page-layout";
import { ADMIN, SiteProcess } from "../site-process";
import { fillForScreens } from "./fill";
import { axeFindings, layoutFindings } from "./findings";
import { indexPage, type Screenshot } from "./index-page";
import { type Audience, requiresScripts, type Screen } from "./screen";
import { screensOf } from "./screens";
import { COUNTRY_HEADER, signIn } from "./visitor-screens";

const USAGE = `npm run screenshots [-- --only TEXT] [--variant TEXT] [FOLDER]
       npm run screenshots -- --guide

Fills a temporary site with the demo's clips, and takes screenshots of every screen at widths of 360, 740
(landscape), 768 and 1440 pixels, with and without scripts, in forced colors, and with doubled text size.
FOLDER is "screenshots" by default. Its index.html shows all screenshots and lists pages that scroll
horizontally, controls that are off screen or too small, and accessibility violations found by axe.
Requires Chromium, and ffmpeg for real clips.

  --only TEXT     only screens whose name contains TEXT
  --variant TEXT  only variants whose name contains TEXT
  --guide         only the screenshots in docs/pictures`;

interface Variant {
  name: string;
  options: BrowserContextOptions;
  largeText?: boolean;
  /** Whether axe checks the page. Two sizes are enough, because axe's rules are about names, roles and contrast. */
  axe?: boolean;
}

const SIZES = { "360": [360, 740], "740": [740, 360], "768": [768, 1024], "1440": [1440, 900] };
const TOUCH: BrowserContextOptions = { hasTouch: true, isMobile: true };

/**
 * Touch is emulated only on phones, because full-page screenshots of an emulated tablet would mix mouse and touch
 * styles.
 */
function optionsAt(width: number, height: number): BrowserContextOptions {
  return { viewport: { width, height }, ...(width < 768 ? TOUCH : undefined) };
}

const VARIANTS: Variant[] = [
  ...Object.entries(SIZES).flatMap(([name, [width = 0, height = 0]]): Variant[] => [
    { name, options: optionsAt(width, height), axe: width === 360 || width === 1_440 },
    {
      name: `${name} no scripts`,
      options: { ...optionsAt(width, height), javaScriptEnabled: false },
    },
  ]),
  ...[360, 1440].flatMap((width): Variant[] => [
    {
      name: `${width} forced colors`,
      options: { ...optionsAt(width, 900), forcedColors: "active" },
    },
    { name: `${width} 200 % text`, options: optionsAt(width, 900), largeText: true },
  ]),
];

const SECRET = "a secret that only screenshots use";
const GUIDE: Variant = { name: "guide", options: optionsAt(1_280, 800) };
const GUIDE_FOLDER = "docs/pictures";
const GUIDE_WIDTH_PIXELS = 960;

await runScript(
  USAGE,
  { only: { type: "string" }, variant: { type: "string" }, guide: { type: "boolean" } },
  async ({ only, variant, guide }, [folder = "screenshots"]) => {
    const target = path.resolve(guide ? GUIDE_FOLDER : String(folder));
    fs.mkdirSync(target, { recursive: true });
    // This process needs the secret to encrypt the reports that it adds to the site.
    process.env.SESSION_SECRET = SECRET;
    forgetSettings();
    const backups = fs.mkdtempSync(path.join(os.tmpdir(), "screenshots-"));
    const site = new SiteProcess({
      AGE_GATE: "on",
      JOIN_URL: "https://example.com/channel",
      BACKUP_DIR: backups,
      SESSION_SECRET: SECRET,
      COUNTRY_HEADER,
      COUNTRY_RULES: "XC=check",
      AGE_CHECK_URL: "https://age.example/check",
      AGE_CHECK_SECRET: SECRET,
      RECORDS_CUSTODIAN: "Jane Doe|1 Example Street|12345 Example Town",
    });
    let browser: Browser | undefined;
    try {
      await site.start();
      const screens = screensOf(fillForScreens(site)).filter(nameContains(only));
      browser = await chromium.launch(CHROMIUM_LAUNCH);
      const session = await createSession(browser, urlOf(site));
      const screenshots: Screenshot[] = [];
      if (guide) {
        const shown = screens.filter((screen) => screen.guide);
        await takeAll(browser, GUIDE, shown, { site, session, target });
        console.log(`${shown.length} screenshots in ${target}`);
        return;
      }
      for (const each of VARIANTS.filter(nameContains(variant))) {
        const taken = await takeAll(browser, each, screens, { site, session, target });
        screenshots.push(...taken);
        console.log(`${each.name}: ${taken.length} screens`);
      }
      fs.writeFileSync(path.join(target, "index.html"), indexPage(screenshots));
      const findings = screenshots.flatMap(({ screen, variant, findings }) =>
        findings.map((finding) => `${screen}, ${variant}: ${finding}`),
      );
      for (const finding of findings) console.log(finding);
      console.log(`${screenshots.length} screenshots of ${screens.length} screens.`);
      if (findings.length > 0) process.exitCode = 1;
      console.log(`${findings.length} findings. Index page: ${path.join(target, "index.html")}`);
    } finally {
      await browser?.close();
      await site.remove();
      fs.rmSync(backups, { recursive: true, force: true });
    }
  },
);

/** Returns the site's URL with a host name, because browsers don't support passkeys on IP addresses. */
function urlOf(site: SiteProcess): string {
  return site.url.replace("127.0.0.1", "localhost");
}

function nameContains(text: unknown) {
  return ({ name }: { name: string }) => !text || name.includes(String(text));
}

type Session = Awaited<ReturnType<typeof createSession>>;

async function takeAll(
  browser: Browser,
  variant: Variant,
  screens: readonly Screen[],
  { site, session, target }: { site: SiteProcess; session: Session; target: string },
): Promise<Screenshot[]> {
  const screenshots: Screenshot[] = [];
  const scripted = variant.options.javaScriptEnabled !== false;
  for (const audience of ["newcomer", "visitor", "admin"] as const) {
    const context = await browser.newContext({
      ...variant.options,
      baseURL: urlOf(site),
      storageState: stateFor(audience, session),
      serviceWorkers: "block",
    });
    context.setDefaultTimeout(15_000);
    if (variant.largeText) await context.addInitScript(doubleTextSize);
    for (const screen of screens) {
      if (screen.audience !== audience || (!scripted && requiresScripts(screen))) continue;
      const page = await context.newPage();
      const findings: string[] = [];
      try {
        await prepare(page, screen, site, scripted);
      } catch (error) {
        findings.push(`steps failed: ${String(error).split("\n")[0]}`);
      }
      if (variant === GUIDE) {
        await writeGuideImage(page, path.join(target, `${screen.guide}.webp`));
        if (screen.undo) site.database().exec(screen.undo);
        await page.close();
        continue;
      }
      const isFullPage = !(screen.overlay && scripted);
      // Otherwise, sticky elements would appear in the middle of a full-page screenshot.
      if (isFullPage) await page.evaluate(() => scrollTo(0, 0));
      const file = fileOf(screen.name, variant.name);
      await page.screenshot({
        path: path.join(target, file),
        type: "jpeg",
        quality: 75,
        fullPage: isFullPage,
        animations: "disabled",
      });
      findings.push(...(await layoutFindings(page, variant.options.hasTouch ?? false)));
      if (variant.axe) findings.push(...(await axeFindings(page)));
      screenshots.push({ screen: screen.name, variant: variant.name, file, findings });
      if (screen.undo) site.database().exec(screen.undo);
      await context.setOffline(false);
      if (scripted) await page.evaluate(() => localStorage.clear());
      await page.close();
    }
    await context.close();
  }
  return screenshots;
}

async function writeGuideImage(page: Page, file: string): Promise<void> {
  const image = await page.screenshot({ animations: "disabled" });
  await sharp(image).resize({ width: GUIDE_WIDTH_PIXELS }).webp({ quality: 75 }).toFile(file);
}

/** Opens a screen with the browser storage and the steps that it requires. */
async function prepare(
  page: Page,
  { address, remembers, whileBroken, steps, scriptedSteps }: Screen,
  site: SiteProcess,
  scripted: boolean,
): Promise<void> {
  if (remembers) {
    await page.goto("/robots.txt");
    const text = JSON.stringify(remembers);
    await page.evaluate((text) => localStorage.setItem("visitor", text), text);
  }
  if (whileBroken) site.database().exec("ALTER TABLE videos RENAME TO videos_away");
  try {
    await page.goto(address);
  } finally {
    if (whileBroken) site.database().exec("ALTER TABLE videos_away RENAME TO videos");
  }
  // Dialogs become modal when scripts run.
  if (scripted) await page.waitForLoadState("networkidle");
  await steps?.(page);
  if (scripted) await scriptedSteps?.(page);
  await page.evaluate(() => document.fonts.ready);
  await loadPosters(page);
}

/** Loads all posters, including those that the browser loads only once they are scrolled into view. */
async function loadPosters(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const posters = [...document.images].filter((image) => image.loading === "lazy");
    await Promise.allSettled(
      posters.map((image) => {
        image.loading = "eager";
        return image.decode();
      }),
    );
  });
}

function stateFor(audience: Audience, session: Session): Session | undefined {
  if (audience === "newcomer") return undefined;
  if (audience === "admin") return session;
  return { ...session, cookies: session.cookies.filter(({ name }) => name.includes("age")) };
}

/** Confirms the age and signs in. Returns the browser's storage state. */
async function createSession(browser: Browser, baseURL: string) {
  const context = await browser.newContext({ baseURL, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/");
  await page.getByRole("button", { name: "Enter", exact: true }).click();
  await page.goto("/auth");
  await signIn(page, ADMIN.email, ADMIN.password);
  const state = await context.storageState();
  await context.close();
  return state;
}

function fileOf(screen: string, variant: string): string {
  const name = `${screen} ${variant}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return `${name}.jpg`;
}
