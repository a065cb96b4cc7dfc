import { Form, Link, useLocation, useMatches, useRouteLoaderData } from "@remix-run/react";
import { Button, buttonClass } from "~/ui/button";
import { LEAVE_URL } from "./exit-page";

/** Returns whether the entry dialog replaces the matched page. */
export function useAgeGate(): boolean {
  const root = useRouteLoaderData("root") as { asksForAge?: boolean } | undefined;
  const route = useMatches().at(-1)?.id ?? "";
  return root?.asksForAge === true && !UNGATED_ROUTES.has(route);
}

/**
 * The entry dialog. It replaces the page, which is included in the HTML for search engines but not displayed, so that
 * no image is visible before the visitor has answered.
 */
export function AgeGate({ siteName }: { siteName: string }) {
  const { pathname, search } = useLocation();
  return (
    <div
      role="dialog"
      aria-modal="true"
      aria-labelledby="age-title"
      aria-describedby="age-text"
      className="page grid min-h-dvh place-items-center py-8"
    >
      <div className="w-full max-w-md rounded-lg border border-line bg-surface p-6 lifted sm:p-8">
        <p
          aria-hidden="true"
          className="inline-flex rounded-sm border border-accent px-2.5 py-1 text-sm font-bold text-accent figures"
        >
          18+
        </p>
        <h1 id="age-title" className="mt-5 text-xl font-bold">
          Are you 18 or over?
        </h1>
        <p id="age-text" className="mt-3 text-muted">
          {siteName} shows videos for adults. Enter only if you are at least 18 years old and have
          reached the age of majority where you live.
        </p>
        <div className="mt-8 grid gap-3 xs:grid-cols-2">
          <Form method="post" action="/age" reloadDocument className="contents">
            <input type="hidden" name="returnTo" value={`${pathname}${search}`} />
            <Button className="w-full">Enter</Button>
          </Form>
          <a href={LEAVE_URL} rel="noreferrer" className={buttonClass("secondary")}>
            Leave
          </a>
        </div>
        <p className="mt-6 text-sm text-muted">
          Your answer is stored only in a cookie in this browser.{" "}
          <Link to="/privacy" className="text-accent underline underline-offset-4">
            Privacy
          </Link>
        </p>
      </div>
    </div>
  );
}

/**
 * The routes whose pages are shown before the visitor has confirmed their age. Every other page is hidden behind the
 * entry dialog, including the pages of new routes until they are listed here. None of the listed pages shows a video or
 * a thumbnail.
 */
export const UNGATED_ROUTES: ReadonlySet<string> = new Set([
  // Legal information, which everyone may read.
  "features/site/routes/privacy",
  "features/site/routes/dmca",
  "features/consent/routes/records",
  "features/moderation/routes/transparency",
  // People who report a video may appear in it, and may be minors.
  "features/moderation/routes/report",
  "features/moderation/routes/report-status",
  "features/site/routes/contact",
  // Forms used by the people who run the site.
  "features/accounts/routes/auth",
  "features/accounts/routes/auth-code",
  "features/accounts/routes/invite",
  // An external provider's age check replaces the dialog.
  "features/age/routes/age-check",
  // Pages with information and settings, but without any videos.
  "features/site/routes/preferences",
  "features/site/routes/offline",
  "features/api/routes/api-reference",
  "features/site/routes/not-found",
]);
