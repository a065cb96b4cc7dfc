import { data, type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { pageMeta } from "~/features/catalogue/page-meta";
import { LEAVE_URL } from "~/features/site/exit-page";
import { safePath } from "~/platform/safe-redirect";
import { settings } from "~/platform/settings.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { buttonClass } from "~/ui/button";
import { AGE_CHECK_PROBLEMS, type AgeCheckProblem } from "../age-check-problems";
import { needsAgeCheck } from "../obey-country-rules.server";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: "Age check",
        description: `How ${data.site.name} checks the age of visitors where the law requires it.`,
        path: "/age-check",
        noindex: true,
      })
    : [];

/** Explains the age check and, if a check failed, the problem. */
export function loader({ request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const to = safePath(searchParams.get("to"), "/");
  if (!needsAgeCheck(request)) throw redirect(to);
  const { ageCheckUrl } = settings();
  const problem = searchParams.get("problem") ?? "";
  const isKnown = Object.hasOwn(AGE_CHECK_PROBLEMS, problem);
  const found = isKnown ? AGE_CHECK_PROBLEMS[problem as AgeCheckProblem] : undefined;
  return data(
    {
      site: siteIdentity(request),
      to,
      provider: ageCheckUrl ? new URL(ageCheckUrl).host : "",
      problem: found?.message,
    },
    { status: found?.status ?? 200, headers: { "Cache-Control": "no-store" } },
  );
}

export default function AgeCheck() {
  const { site, to, provider, problem } = useLoaderData<typeof loader>();
  return (
    <article className="mx-auto max-w-md rounded-lg border border-line bg-surface p-6 sm:mt-8 sm:p-8">
      <p
        aria-hidden="true"
        className="inline-flex rounded-sm border border-accent px-2.5 py-1 text-sm font-bold text-accent figures"
      >
        18+
      </p>
      <h1 className="mt-5 text-xl font-bold">Age check required</h1>
      {problem && (
        <p role="alert" className="mt-4 rounded-md border border-line bg-raised p-3">
          {problem}
        </p>
      )}
      <p className="mt-3 text-muted">
        In your country, {site.name} may only show videos to people whose age has been verified.{" "}
        <strong className="font-semibold text-ink">{provider}</strong> checks ages for us. This
        service doesn’t learn what you watch, and tells us only whether you’re 18 or over.
      </p>
      <div className="mt-8 grid gap-3 xs:grid-cols-2">
        {/* A link, because this page's Content Security Policy blocks forms that redirect to another site. */}
        <a
          href={`/age-check/start${to === "/" ? "" : `?to=${encodeURIComponent(to)}`}`}
          rel="nofollow"
          className={buttonClass()}
        >
          {problem ? "Try again" : "Check my age"}
        </a>
        <a href={LEAVE_URL} rel="noreferrer" className={buttonClass("secondary")}>
          Leave
        </a>
      </div>
      <p className="mt-6 text-sm text-muted">
        The result is stored only in a cookie in this browser.{" "}
        <Link to="/privacy" className="text-accent underline underline-offset-4">
          Privacy
        </Link>
      </p>
    </article>
  );
}
