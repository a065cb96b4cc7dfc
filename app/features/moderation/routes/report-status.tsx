import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, useLocation } from "@remix-run/react";
import { SearchX } from "lucide-react";
import { privateMeta } from "~/features/catalogue/meta/private-meta";
import { unlessBusy } from "~/platform/busy.server";
import { unlistedHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { noteOpening } from "../reports/report-mails.server";
import { LINK_NOT_OPENED_TEXT } from "../reports/report-texts";
import { performStatus, readStatusPage } from "../reports/status-page.server";
import { AnswerForm, Messages, StatusSummary, WithdrawForm } from "../reports/status-panels";

export const meta = privateMeta("Your report", [
  // Never the path. "no-referrer" would also make browsers send `Origin: null` with the page's forms.
  { name: "referrer", content: "strict-origin" },
]);

/** Whoever has the link may use it: it is in no cache, the browser's own included. */
export const headers = unlistedHeaders;

/** Room for a message of letters that take nine bytes each in a form. */
const MOST_FORM_BYTES = 64 * 1024;

interface Answer {
  error: string;
  text?: string;
}

export async function loader({ request, params }: LoaderFunctionArgs) {
  const token = params.token ?? "";
  if (request.method === "GET") await unlessBusy(noteOpening(token));
  const page = readStatusPage(token);
  if ("missing" in page) return data({ page: undefined, missing: page.missing }, { status: 404 });
  return { page, missing: undefined };
}

export async function action({ request, params }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  const token = params.token ?? "";
  const form = await readSmallForm(request, MOST_FORM_BYTES);
  const answer = await unlessBusy(performStatus(token, form));
  if ("error" in answer) {
    const { status, error, text } = answer;
    return data<Answer>({ error, text }, { status });
  }
  throw redirectWithToast(
    `/report/${token}`,
    { title: "Your report", description: answer.done, kind: "success" },
    { status: 303 },
  );
}

export default function ReportStatusPage() {
  const { page, missing } = useLoaderData<typeof loader>();
  const { pathname } = useLocation();
  const answer = useFormResponse<Answer>();
  if (!page) {
    return (
      <>
        <h1 className="sr-only">Your report</h1>
        <EmptyState
          icon={<SearchX />}
          title={missing ?? ""}
          action={<ButtonLink to="/">Back to Home</ButtonLink>}
        />
      </>
    );
  }
  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-6 py-4 md:py-8">
      <header>
        <h1 className="text-xl font-bold">Your report</h1>
        <p className="mt-3 text-sm text-muted">
          Save the link to this page, and don’t share it. Anyone who has it can read your report and
          answer for you.
        </p>
        {page.isLinkUnopened && <p className="mt-3 text-sm text-muted">{LINK_NOT_OPENED_TEXT}</p>}
      </header>
      {answer && !page.canWrite && (
        <p role="alert" className="rounded-lg border border-bad-deep p-4 text-sm text-bad">
          {answer.error}
        </p>
      )}
      <StatusSummary page={page} />
      <Messages messages={page.messages} />
      {page.canWrite && (
        <AnswerForm
          key={page.messages.length}
          path={pathname}
          error={answer?.error}
          text={answer?.text}
        />
      )}
      {page.canWithdraw && <WithdrawForm path={pathname} />}
    </div>
  );
}
