// npm run screenshots: every screen in every variant, with one page that shows them all.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type Browser, type BrowserContextOptions, chromium } from "playwright";
import { CHROMIUM_LAUNCH } from "../tests/chromium";
import { ADMIN, SiteProcess } from "../tests/site-process";
import { runScript } from "./run-script";
import { indexPage } from "./screenshots/index-page";
import { screensOf } from "./screenshots/screens";

const USAGE = `npm run screenshots [-- --only TEXT] [FOLDER]

Fills a site of its own with the demo's clips, and takes pictures of every screen at 360, 740 (landscape),
768 and 1440 pixels, with and without scripts, in forced colours and with text of twice the size.
FOLDER is "screenshots" unless given; its index.html shows them all. --only takes the screens whose name
has TEXT in it. It wants Chromium, and ffmpeg for clips that move.`;

interface Variant {
  name: string;
  options: BrowserContextOptions;
  largeText?: boolean;
}

const SIZES = { "360": [360, 740], "740": [740, 360], "768": [768, 1024], "1440": [1440, 900] };
const VARIANTS: Variant[] = [
  ...Object.entries(SIZES).flatMap(([name, [width = 0, height = 0]]) => [
    { name, options: { viewport: { width, height } } },
    {
      name: `${name} no scripts`,
      options: { viewport: { width, height }, javaScriptEnabled: false },
    },
  ]),
  ...[360, 1440].flatMap((width): Variant[] => [
    {
      name: `${width} forced colours`,
      options: { viewport: { width, height: 900 }, forcedColors: "active" },
    },
    { name: `${width} 200 % text`, options: { viewport: { width, height: 900 } }, largeText: true },
  ]),
];

await runScript(USAGE, { only: { type: "string" } }, async ({ only }, [folder = "screenshots"]) => {
  const target = path.resolve(String(folder));
  fs.mkdirSync(target, { recursive: true });
  const site = new SiteProcess({ AGE_GATE: "on", JOIN_URL: "https://example.com/channel" });
  let browser: Browser | undefined;
  try {
    await site.start();
    fillWithDemo(site);
    const screens = screensOf(site).filter(({ name }) => !only || name.includes(String(only)));
    browser = await chromium.launch(CHROMIUM_LAUNCH);
    const session = await signedIn(browser, site.url);
    for (const variant of VARIANTS) {
      for (const audience of ["newcomer", "visitor", "admin"] as const) {
        const wanted = screens.filter((screen) => screen.audience === audience);
        const context = await browser.newContext({
          ...variant.options,
          baseURL: site.url,
          storageState: stateFor(audience, session),
        });
        if (variant.largeText) await context.addInitScript(doubleText);
        const page = await context.newPage();
        for (const { name, address, prepare } of wanted) {
          await page.goto(address);
          if (variant.options.javaScriptEnabled !== false) await prepare?.(page);
          await page.screenshot({
            path: path.join(target, fileOf(name, variant.name)),
            type: "jpeg",
            quality: 75,
            fullPage: true,
            animations: "disabled",
          });
        }
        await context.close();
      }
      console.log(`${variant.name}: ${screens.length} screens`);
    }
    const variants = VARIANTS.map(({ name }) => name);
    fs.writeFileSync(
      path.join(target, "index.html"),
      indexPage(
        screens.map(({ name }) => name),
        variants,
        fileOf,
      ),
    );
    console.log(`All of them: ${path.join(target, "index.html")}`);
  } finally {
    await browser?.close();
    await site.remove();
  }
});

type Session = Awaited<ReturnType<typeof signedIn>>;

/** A newcomer has not answered the age dialog; a visitor has; an admin is signed in as well. */
function stateFor(
  audience: "newcomer" | "visitor" | "admin",
  session: Session,
): Session | undefined {
  if (audience === "newcomer") return undefined;
  if (audience === "admin") return session;
  return { ...session, cookies: session.cookies.filter(({ name }) => name.includes("age")) };
}

async function signedIn(browser: Browser, baseURL: string) {
  const context = await browser.newContext({ baseURL, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/");
  await page.getByRole("button", { name: "Enter", exact: true }).click();
  await page.goto("/auth");
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password").fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/");
  const state = await context.storageState();
  await context.close();
  return state;
}

function fillWithDemo(site: SiteProcess): void {
  execFileSync("node_modules/.bin/tsx", ["scripts/demo.ts"], {
    env: { ...process.env, DATABASE_PATH: site.databasePath, UPLOADS_DIR: site.uploads },
    stdio: "inherit",
  });
}

/** As a browser does whose text size is doubled: the page's styles count in its root's size. */
function doubleText(): void {
  new MutationObserver((_, observer) => {
    document.documentElement.style.fontSize = "200%";
    observer.disconnect();
  }).observe(document, { childList: true });
}

function fileOf(screen: string, variant: string): string {
  const name = `${screen} ${variant}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return `${name}.jpg`;
}
