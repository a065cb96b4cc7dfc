import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/meta/private-meta";
import { findPublished } from "~/features/watch/video.server";
import { unlessBusy } from "~/platform/busy.server";
import { contactEmail } from "~/platform/contact-email.server";
import { unlistedHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { settings } from "~/platform/settings.server";
import { readSignedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { siteOrigin } from "~/platform/site-origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { videoPath } from "~/shared/addresses";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { PageLink } from "~/ui/page-link";
import { KindChoice, ReportForm, reportHref } from "../reports/report-form";
import { mailSender } from "../reports/report-records.server";
import { KIND_TEXTS } from "../reports/report-texts";
import { newFormId, statusPath } from "../reports/status-token.server";
import {
  plainText,
  puzzleFor,
  type RefusedReport,
  submitReport,
  toReportKind,
} from "../reports/submit-report.server";

export const meta = privateMeta("Report");

export const headers: HeadersFunction = (args) => {
  const headers = new Headers(unlistedHeaders(args));
  const cookie = args.loaderHeaders.get("Set-Cookie");
  if (cookie) headers.append("Set-Cookie", cookie);
  return headers;
};

/** So that two tabs, or a form that is sent again, make one report. It says nothing else. */
const FORM_COOKIE = "report";
const FORM_MS = 3_600_000;
const LONGEST_ID = 200;
/** Room for every field, of letters that take nine bytes each in a form. */
const MOST_FORM_BYTES = 128 * 1024;

function asked(request: Request) {
  const { searchParams } = new URL(request.url);
  const videoId = plainText(searchParams.get("video") ?? "").slice(0, LONGEST_ID);
  return { videoId, kind: toReportKind(searchParams.get("kind")) };
}

export async function loader({ request }: LoaderFunctionArgs) {
  const { videoId, kind } = asked(request);
  const video = videoId ? await findPublished(videoId) : undefined;
  const formId = readSignedCookie(request, FORM_COOKIE) ?? newFormId();
  return data(
    {
      ...{ videoId, kind, formId },
      title: video?.title,
      where: videoId ? siteOrigin(request) + videoPath(videoId) : "",
      puzzle: kind && puzzleFor(request),
      hasMail: settings().smtpUrl !== undefined && mailSender() !== undefined,
      email: contactEmail(request),
    },
    kind && {
      headers: { "Set-Cookie": signedCookie(FORM_COOKIE, formId, Date.now() + FORM_MS) },
    },
  );
}

export async function action({ request }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  const { kind } = asked(request);
  const form = await readSmallForm(request, MOST_FORM_BYTES);
  if (!kind) throw new Response(null, { status: 400, statusText: "Bad Request" });
  const answer = await unlessBusy(submitReport(request, kind, form));
  if ("status" in answer) return data(answer, { status: answer.status });
  throw redirectWithToast(
    statusPath(answer.id),
    {
      title: "Report received",
      description: "Save the link to this page. It is the only way to check on your report.",
      kind: "success",
    },
    { status: 303 },
  );
}

export default function ReportPage() {
  const { videoId, kind, title, where, formId, puzzle, hasMail, email } =
    useLoaderData<typeof loader>();
  const refused = useFormResponse<RefusedReport>();
  const typed = refused?.typed ?? { name: "", email: "", where, what: "", ticked: [] };
  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-6 py-4 md:py-8">
      <header>
        <h1 className="text-xl font-bold">
          {kind ? `Report: ${KIND_TEXTS[kind].label}` : "Report a video"}
        </h1>
        {title && (
          <p dir="auto" className="mt-3 line-clamp-2 text-muted wrap-anywhere">
            {title}
          </p>
        )}
        {kind ? (
          <p className="mt-3 text-sm text-muted">
            {KIND_TEXTS[kind].about}{" "}
            <PageLink to={reportHref(videoId)} className="underline">
              Choose another kind
            </PageLink>
          </p>
        ) : (
          <p className="mt-3 text-muted">
            You don’t need an account. Your report is stored encrypted, read only by moderators, and
            deleted some time after the decision.
          </p>
        )}
      </header>
      {refused?.notice && (
        <p role="alert" className="rounded-lg border border-bad-deep p-4 text-sm text-bad">
          {refused.notice}
        </p>
      )}
      {kind ? (
        <ReportForm
          key={kind}
          {...{ kind, formId, typed, hasMail }}
          errors={refused?.errors ?? {}}
          isUnknown={refused?.isUnknown}
          puzzle={refused ? refused.puzzle : puzzle}
        />
      ) : (
        <KindChoice videoId={videoId} />
      )}
      <p className="text-sm text-muted">
        You can also write to{" "}
        <a href={`mailto:${email}`} className="underline">
          {email}
        </a>
        .
      </p>
    </div>
  );
}
