import type { Page } from "playwright";
import type { SampleVideos, Screen, ScreenOptions } from "./screen";

/** The request header that contains a visitor's country. */
export const COUNTRY_HEADER = "x-country";

/** Returns the public screens, except for the player. */
export function visitorScreens({ all, plain, reports }: SampleVideos): Screen[] {
  const screen = (name: string, address: string, options?: ScreenOptions): Screen => ({
    name,
    address,
    audience: "visitor",
    ...options,
  });
  const unfinished = all.slice(0, 6).map((id, index) => [id, 4 + 3 * index]);
  const visited = { resume: unfinished, saved: all.slice(2, 9) };
  return [
    { name: "Age dialog", address: "/", audience: "newcomer" },
    screen("Home", "/"),
    screen("Home, visited before", "/", { remembers: visited }),
    screen("Home, last page", "/?page=3"),
    screen("Home, a card's preview", "/", {
      scriptedSteps: async (page) => {
        await page.locator("main article").nth(1).hover();
        await page.locator("main article video").first().waitFor();
      },
    }),
    screen("Home, no videos of that length", "/?category=premium&length=long"),
    screen("Home, watched videos hidden", "/", {
      remembers: visited,
      scriptedSteps: (page) => page.getByRole("button", { name: "Hide watched" }).click(),
    }),
    screen("Home, loading", "/", {
      scriptedSteps: async (page) => {
        await page.route(/\.data/, () => undefined);
        await page.getByRole("link", { name: "Next" }).click();
        await page.getByText("Loading videos...").waitFor();
      },
    }),
    screen("Home, offline", "/", { scriptedSteps: goOffline }),
    // A list that the server hasn't cached yet.
    screen("Home, failed", "/categories/pornstar?sort=shortest", { whileBroken: true }),
    screen("Menu", "/", { steps: openMenu, overlay: true }),
    screen("Search results", "/?search=night"),
    screen("Search suggestions", "/trending", { scriptedSteps: suggest, overlay: true }),
    screen("No results", "/?search=mornning"),
    screen("Categories", "/categories"),
    screen("Category", "/categories/english"),
    screen("Trending", "/trending"),
    screen("Tag", "/tags/night"),
    screen("Unknown tag", "/tags/nothing-like-it"),
    screen("Series", "/series/nights-out"),
    screen("Series, last page", "/series/nights-out?page=2"),
    screen("Series, one of its videos", `/video/${all[4]}?series=nights-out`),
    screen("Saved, empty", "/saved"),
    screen("Saved", "/saved", { remembers: { saved: [...all.slice(2, 9), "gone"] } }),
    screen("Offline page while online", "/offline"),
    screen("Offline", "/offline", {
      scriptedSteps: async (page) => {
        await page.context().setOffline(true);
        await page.getByRole("heading", { name: "You're offline" }).waitFor();
      },
    }),
    screen("Unknown video", "/video/unknown"),
    screen("Unknown page", "/nonsense"),
    screen("Failure", `/video/${plain}`, { whileBroken: true }),
    screen("Contact", "/contact"),
    screen("Contact, sent", "/contact", { scriptedSteps: sendMessage }),
    screen("Privacy", "/privacy"),
    screen("DMCA", "/dmca"),
    screen("Report", `/report?video=${plain}`),
    screen("Report, copyright", `/report?video=${plain}&kind=copyright`, {
      steps: (page) => page.getByRole("button", { name: "Send report" }).click(),
    }),
    screen("Report, open question", reports.asked),
    screen("Report, decided", reports.decided),
    screen("Report, unknown link", "/report/unknown"),
    screen("Transparency", "/transparency"),
    screen("Age check", "/age-check", {
      steps: async (page) => {
        await page.setExtraHTTPHeaders({ [COUNTRY_HEADER]: "XC" });
        await page.goto("/age-check");
      },
    }),
    screen("Record keeping", "/records"),
    screen("Preferences", "/preferences"),
    screen("Preferences, visited before", "/preferences", {
      remembers: { ...visited, discreetTitles: true, watched: all.slice(0, 2) },
    }),
    screen("Sign in", "/auth"),
    screen("Sign in, failed", "/auth", {
      // Ten failed sign-ins would block the IP address, but fewer than ten variants run scripts.
      scriptedSteps: async (page) => {
        await signIn(page, "nobody@example.com", "not the password");
        await page.getByRole("alert").first().waitFor();
      },
    }),
  ];
}

/** Fills in and submits the form on /auth. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await page.waitForLoadState("networkidle");
}

async function openMenu(page: Page): Promise<void> {
  const menu = page.getByRole("banner").locator("summary");
  if (await menu.isVisible()) await menu.click();
}

async function suggest(page: Page): Promise<void> {
  const open = page.getByRole("banner").getByRole("button", { name: "Search", exact: true });
  if (await open.isVisible()) await open.click();
  const field = page.getByRole("combobox", { name: "Search videos" });
  await field.pressSequentially("mo");
  await page.getByRole("option").first().waitFor();
  await field.press("ArrowDown");
}

async function goOffline(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.context().setOffline(true);
  await page.getByText("You're offline").first().waitFor();
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByRole("alert").waitFor();
}

async function sendMessage(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.getByLabel("Name").fill("Ann");
  await page.getByLabel("Email").fill("ann@example.com");
  await page.getByLabel("Subject").fill("A question");
  await page.getByLabel("Message").fill("How long do you keep a video that nobody watches?");
  await page.getByRole("button", { name: "Prepare email" }).click();
  await page.getByText("Your message is ready.").waitFor();
}
