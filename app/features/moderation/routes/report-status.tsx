import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, useLoaderData, useLocation, useNavigation } from "@remix-run/react";
import { SearchX } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { unlessBusy } from "~/platform/busy.server";
import { unlistedHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { videoPath } from "~/shared/addresses";
import { Button, ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { TextAreaField } from "~/ui/forms/field";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { recordLinkOpening } from "../reports/report-mails.server";
import type { ReportMessage } from "../reports/report-records.server";
import {
  KIND_TEXTS,
  LINK_NOT_OPENED_TEXT,
  UNREADABLE_TEXT,
  VIDEO_DECISION_TEXTS,
} from "../reports/report-texts";
import { performStatus, readStatusPage, type StatusPage } from "../reports/status-page.server";

export const meta = privateMeta("Your report", [
  // Keeps the secret path out of the Referer header. "no-referrer" would make browsers send `Origin: null` when the
  // page's forms are submitted.
  { name: "referrer", content: "strict-origin" },
]);

/** The link alone grants access, so the page must not stay in any cache, not even in the browser's. */
export const headers = unlistedHeaders;

/** Large enough for a message, even if each character takes up nine bytes in the encoded form. */
const MAX_FORM_BYTES = 64 * 1024;

interface Answer {
  error: string;
  text?: string;
}

export async function loader({ request, params }: LoaderFunctionArgs) {
  const token = params.token ?? "";
  if (request.method === "GET") await unlessBusy(recordLinkOpening(token));
  const page = readStatusPage(token);
  if ("missing" in page) return data({ page: undefined, missing: page.missing }, { status: 404 });
  return { page, missing: undefined };
}

export async function action({ request, params }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  const token = params.token ?? "";
  const form = await readSmallForm(request, MAX_FORM_BYTES);
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
          Save this link: it’s the only way back to your report. Don’t share it. Anyone who has it
          can read your report and reply as you.
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

const AUTHORS: Record<ReportMessage["author"], string> = {
  reporter: "You",
  moderator: "Moderator",
  site: "Site",
};

function StatusSummary({ page }: { page: StatusPage }) {
  const { kind, message, receivedAt, dueAt, videos } = page;
  return (
    <section aria-label="Status" className="rounded-lg border border-line bg-surface p-4 sm:p-5">
      <p className="text-lg font-semibold">{message}</p>
      <dl className="mt-4 grid gap-x-6 text-sm max-sm:[&>dd]:mb-2 sm:grid-cols-[auto_1fr] sm:gap-y-2">
        <dt className="text-muted">Kind</dt>
        <dd>{KIND_TEXTS[kind].label}</dd>
        <dt className="text-muted">Received</dt>
        <dd>
          <Time at={receivedAt} />
        </dd>
        {dueAt && (
          <>
            <dt className="text-muted">Decision due</dt>
            <dd>
              <Time at={dueAt} />
            </dd>
          </>
        )}
        {videos.length > 0 && (
          <>
            <dt className="text-muted">{videos.length === 1 ? "Video" : "Videos"}</dt>
            <dd>
              <ul>
                {videos.map(({ id, decision }) => (
                  <li key={id} dir="ltr" className="wrap-anywhere">
                    {videoPath(id)}
                    {decision && videos.length > 1 && `: ${VIDEO_DECISION_TEXTS[decision]}`}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Messages({ messages }: { messages: readonly ReportMessage[] }) {
  return (
    <section aria-labelledby="messages-heading">
      <h2 id="messages-heading" className="mb-3 text-lg font-semibold">
        Messages
      </h2>
      {messages.length === 0 && <p className="text-sm text-muted">No messages yet.</p>}
      <ul className="flex flex-col gap-3">
        {messages.map(({ id, author, sentAt, text }) => (
          <li key={id} className="rounded-lg border border-line p-4">
            <p className="flex flex-wrap gap-x-3 text-sm text-muted">
              <span className="font-semibold text-ink">{AUTHORS[author]}</span>
              <Time at={sentAt} />
            </p>
            <p dir="auto" className="mt-2 wrap-anywhere whitespace-pre-line">
              {text ?? UNREADABLE_TEXT}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function AnswerForm({ error, text, path }: { error?: string; text?: string; path: string }) {
  const isBusy = useNavigation().formData?.get("intent") === "answer";
  return (
    <Form method="post" action={path} noValidate className="flex flex-col gap-4">
      <TextAreaField
        label="Your message to the moderators"
        hint="Reply to a question, or add something you forgot."
        name="message"
        rows={4}
        required
        error={error}
        defaultValue={text}
        autoFocus={error !== undefined}
      />
      <Button
        name="intent"
        value="answer"
        variant="secondary"
        busy={isBusy}
        busyLabel="Sending..."
        className="self-start"
      >
        Send message
      </Button>
    </Form>
  );
}

function WithdrawForm({ path }: { path: string }) {
  return (
    <details className="rounded-lg border border-line px-4 py-1">
      {/* The element stays a list item in order to keep its marker. The padding makes it tall enough for a finger. */}
      <summary className="cursor-pointer py-3 text-sm font-medium">Withdraw this report</summary>
      <Form method="post" action={path} className="flex flex-col items-start gap-4 pt-1 pb-3">
        <p className="text-sm text-muted">
          We’ll close the report without a decision, unless the video is hidden because of it.
        </p>
        <Button name="intent" value="withdraw" variant="danger">
          Withdraw report
        </Button>
      </Form>
    </details>
  );
}

/** The time is shown in UTC, because the reader's time zone isn't known without JavaScript. */
function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} className="figures">
      {`${at.slice(0, 10)}, ${at.slice(11, 16)} UTC`}
    </time>
  );
}
