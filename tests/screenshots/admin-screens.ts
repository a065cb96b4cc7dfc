import { ADMIN } from "../site-process";
import type { SampleVideos, Screen, ScreenOptions } from "./screen";
import { signIn } from "./visitor-screens";

/** An account that has two-factor authentication and the same password as the admin's account. */
export const ADMIN_WITH_SECOND_FACTOR = "second@example.com";

/** The token that is used for both an open invitation and a preview link. */
export const INVITATION_TOKEN = "screenshots";

/** The ID of an open report. */
export const REPORT = "a-report";

/** Returns the screens for the studio, invitations and previews. */
export function adminScreens({
  plain,
  long,
  scheduled,
  draft,
  withoutFile,
}: SampleVideos): Screen[] {
  const screen = (name: string, address: string, options?: ScreenOptions): Screen => ({
    name,
    address,
    audience: "admin",
    ...options,
  });
  const manage = "/admin?tab=manage";
  return [
    {
      name: "Two-factor authentication",
      address: "/auth",
      audience: "visitor",
      steps: async (page) => {
        await signIn(page, ADMIN_WITH_SECOND_FACTOR, ADMIN.password);
        await page.waitForURL("**/auth/code");
      },
      leadsTo: "/auth/code",
    },
    screen("Home of an admin", "/"),
    screen("Upload", "/admin", { guide: "upload" }),
    screen("Upload, file chosen", "/admin", {
      scriptedSteps: async (page) => {
        await page.waitForLoadState("networkidle");
        const name = "An evening by the river, the whole of it.mp4";
        const buffer = Buffer.from("This isn't a video.");
        await page
          .locator("input[name=video]")
          .setInputFiles([{ name, mimeType: "video/mp4", buffer }]);
        await page.getByText(name).first().waitFor();
      },
    }),
    screen("Upload, scheduled", "/admin", {
      steps: async (page) => {
        await page.getByText("Schedule", { exact: true }).click();
        await page.getByLabel("Publish at").waitFor();
      },
    }),
    screen("Upload, rejected", "/admin", {
      steps: async (page) => {
        await page.getByLabel("Title").fill("A walk");
        await page.getByRole("button", { name: /^Upload/ }).click();
        await page.waitForLoadState("networkidle");
      },
    }),
    screen("Upload, with terms to accept", "/admin", {
      steps: async (page) => {
        await page.goto("/admin/terms");
        await page.getByRole("button", { name: "Require acceptance" }).click();
        await page.getByRole("button", { name: "Stop requiring acceptance" }).waitFor();
        await page.goto("/admin");
        await page.getByText("Read the uploaders’ terms, version 2").click();
      },
      undo: "UPDATE upload_terms_state SET required_since = NULL",
    }),
    screen("Manage", manage),
    screen("Manage, more filters", `${manage}&from=2020-01-01&columns=title,status,added`),
    screen("Manage, selected", manage, {
      guide: "list",
      overlay: true,
      scriptedSteps: async (page) => {
        await page.waitForLoadState("networkidle");
        const boxes = page.getByRole("checkbox", { name: /^Select / });
        for (const index of [1, 2]) await boxes.nth(index).check();
        await page.getByText("2 selected").waitFor();
      },
    }),
    screen("Manage, scheduling the selection", manage, {
      overlay: true,
      scriptedSteps: async (page) => {
        await page.waitForLoadState("networkidle");
        await page
          .getByRole("checkbox", { name: /^Select / })
          .nth(1)
          .check();
        await page.getByLabel("Bulk actions").selectOption("Schedule");
        await page.getByLabel("Hide at").waitFor();
      },
    }),
    screen("Manage, edit", `${manage}&edit=${long}`, { overlay: true, guide: "edit" }),
    screen("Manage, delete", `${manage}&delete=${plain}`, { overlay: true }),
    screen("Manage, replace", `${manage}&replace=${long}`, { overlay: true }),
    screen("Manage, replacement pending", `${manage}&replace=${plain}`, { overlay: true }),
    screen("Manage, start and end", `${manage}&trim=${long}`, { overlay: true }),
    screen("Manage, similar videos", `${manage}&status=similar`),
    screen("Manage, confirming a bulk action", manage, {
      overlay: true,
      steps: async (page) => {
        const boxes = page.getByRole("checkbox", { name: /^Select / });
        for (const index of [1, 2, 3]) await boxes.nth(index).check();
        const bar = page.getByRole("form", { name: "Selected videos" });
        await bar.getByLabel("Bulk actions").selectOption("Hide");
        await bar.getByRole("button", { name: "Apply" }).click();
        await page.getByRole("button", { name: /^Apply to/ }).waitFor();
      },
    }),
    screen("Manage, schedule", `${manage}&schedule=${withoutFile}`, { overlay: true }),
    screen("Manage, already scheduled", `${manage}&schedule=${scheduled}`, { overlay: true }),
    screen("Manage, only scheduled", `${manage}&status=scheduled`),
    screen("Manage, drafts", `${manage}&status=review`),
    screen("Manage, missing video", `${manage}&edit=unknown`, { overlay: true }),
    screen("Manage, no results", `${manage}&search=nothing-like-it`),
    screen("Statistics", "/admin/statistics"),
    screen("Statistics of a video", `/admin/videos/${long}/statistics`),
    screen("Statistics of a video, not played yet", `/admin/videos/${plain}/statistics`),
    screen("Activity", "/admin/activity"),
    screen("Queue", "/admin/queue", { guide: "queue" }),
    screen("Queue, waiting", "/admin/queue?state=waiting"),
    screen("Queue, failed", "/admin/queue?state=failed"),
    screen("Queue, done", "/admin/queue?state=done"),
    screen("Queue, one video", `/admin/queue?video=${plain}`),
    screen("Queue, selected", "/admin/queue?state=waiting", {
      overlay: true,
      scriptedSteps: async (page) => {
        const boxes = page.getByRole("checkbox", { name: /^Select / });
        for (const index of [0, 1]) await boxes.nth(index).check();
        await page.getByText("2 selected").waitFor();
      },
    }),
    screen("Queue, paused", "/admin/queue", {
      steps: async (page) => {
        await page.getByRole("button", { name: "Pause all" }).click();
        await page.getByRole("button", { name: "Resume" }).waitFor();
      },
      undo: "UPDATE queue_state SET paused_at = NULL",
    }),
    screen("Tags", "/admin/tags"),
    screen("Tags, selected", "/admin/tags", {
      overlay: true,
      scriptedSteps: async (page) => {
        const boxes = page.getByRole("checkbox", { name: /^Select / });
        for (const index of [0, 1]) await boxes.nth(index).check();
        await page.getByText("2 selected").waitFor();
      },
    }),
    screen("Tags, categories", "/admin/tags", {
      overlay: true,
      scriptedSteps: async (page) => {
        await page
          .getByRole("heading", { name: "Categories", exact: true, level: 2 })
          .first()
          .evaluate((heading) => heading.scrollIntoView({ block: "center" }));
      },
    }),
    screen("Tags, one tag", "/admin/tags?tag=night", { overlay: true }),
    screen("Series in the studio", "/admin/series"),
    screen("Series in the studio, one series", "/admin/series/1"),
    screen("Series in the studio, deleting", "/admin/series/1?delete=1", { overlay: true }),
    screen("Series in the studio, missing series", "/admin/series/99"),
    screen("Import", "/admin/import"),
    screen("Templates", "/admin/templates"),
    screen("Templates, one template", "/admin/templates?template=1"),
    screen("Terms", "/admin/terms"),
    screen("Terms, an earlier version", "/admin/terms?version=1"),
    screen("Trash", "/admin/trash"),
    screen("Trash, selected", "/admin/trash", {
      overlay: true,
      scriptedSteps: async (page) => {
        await page
          .getByRole("checkbox", { name: /^Select / })
          .first()
          .check();
        await page.getByText("1 selected").waitFor();
      },
    }),
    screen("Trash, earlier files", "/admin/trash?show=files"),
    screen("Trash, emptying", "/admin/trash?empty=1", { overlay: true }),
    screen("Review", `/admin/review/${draft}`),
    { name: "Preview", address: `/preview/${INVITATION_TOKEN}`, audience: "visitor" },
    { name: "Preview, revoked", address: "/preview/unknown", audience: "visitor" },
    screen("Users", "/admin/users", { guide: "users" }),
    screen("Users, invited", "/admin/users", {
      steps: async (page) => {
        await page.getByLabel("Email").fill("guest@example.com");
        await page.getByRole("button", { name: "Invite user" }).click();
        await page.getByLabel("Invitation link").waitFor();
      },
      undo: "DELETE FROM invitations WHERE email = 'guest@example.com'",
    }),
    { name: "Invitation", address: `/invite/${INVITATION_TOKEN}`, audience: "visitor" },
    { name: "Invitation, unknown", address: "/invite/unknown", audience: "visitor" },
    screen("Backups", "/admin/backups", {
      guide: "backups",
      steps: async (page) => {
        // The site creates its first backup soon after it starts.
        const verified = page.getByText("Verified", { exact: true });
        while ((await verified.count()) === 0) {
          await page.waitForTimeout(500);
          await page.reload();
        }
        // Replaces the temporary folder with a realistic one for the docs.
        for (const folder of await page.locator("main code").all()) {
          await folder.evaluate((code) => {
            if (code.textContent?.startsWith("/")) code.textContent = "/mnt/backups";
          });
        }
      },
    }),
    screen("Account", "/admin/account"),
    screen("API tokens", "/admin/tokens"),
    screen("Workers", "/admin/workers"),
    screen("Alerts", "/admin/alerts", { guide: "alerts" }),
    screen("Reports", "/admin/reports"),
    screen("Open report", `/admin/reports/${REPORT}`),
    screen("Block list", "/admin/block-list"),
    screen("Consent", "/admin/consent"),
    screen("New performer", "/admin/consent/new"),
    screen("Consent of a video", `/admin/videos/${draft}/consent`),
    screen("API reference", "/api"),
    screen("Account, changing a passkey", "/admin/account", {
      steps: async (page) => {
        await page.getByText("Rename or remove").first().click();
        await page
          .getByRole("button", { name: /^Remove the passkey/ })
          .first()
          .waitFor();
      },
    }),
    screen("Account, setting up two-factor authentication", "/admin/account", {
      steps: async (page) => {
        const panel = page.getByRole("region", { name: "Two-factor authentication" });
        await panel.getByLabel("Your password").fill(ADMIN.password);
        await panel.getByRole("button", { name: "Set up authenticator app" }).click();
        await page.getByRole("img", { name: "QR code for an authenticator app" }).waitFor();
      },
      undo: "UPDATE users SET totp_secret = NULL WHERE totp_enabled_at IS NULL",
    }),
  ];
}
