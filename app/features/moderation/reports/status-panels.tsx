import { Form, useNavigation } from "@remix-run/react";
import { videoPath } from "~/shared/addresses";
import { Button } from "~/ui/button";
import { TextAreaField } from "~/ui/forms/field";
import type { ReportMessage } from "./report-records.server";
import { KIND_TEXTS, UNREADABLE_TEXT, VIDEO_DECISION_TEXTS } from "./report-texts";
import type { StatusPage } from "./status-page.server";

const AUTHORS: Record<ReportMessage["author"], string> = {
  reporter: "You",
  moderator: "The moderator",
  site: "The site",
};

/** State, kind, videos and times of a report. */
export function StatusSummary({ page }: { page: StatusPage }) {
  const { kind, sentence, receivedAt, dueAt, videos } = page;
  return (
    <section aria-label="State" className="rounded-lg border border-line bg-surface p-4 sm:p-5">
      <p className="text-lg font-semibold">{sentence}</p>
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

/** The messages between the reporter and the moderators. */
export function Messages({ messages }: { messages: readonly ReportMessage[] }) {
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

/** Writes to the moderators. */
export function AnswerForm({ error, text, path }: { error?: string; text?: string; path: string }) {
  const isBusy = useNavigation().formData?.get("intent") === "answer";
  return (
    <Form method="post" action={path} noValidate className="flex flex-col gap-4">
      <TextAreaField
        label="Your message to the moderators"
        hint="Answer a question, or add something you forgot."
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

/** Withdraws the report, after a confirmation. */
export function WithdrawForm({ path }: { path: string }) {
  return (
    <details className="rounded-lg border border-line px-4 py-1">
      {/* A list item, so that its marker stays; its padding makes the height that a finger needs. */}
      <summary className="cursor-pointer py-3 text-sm font-medium">Withdraw this report</summary>
      <Form method="post" action={path} className="flex flex-col items-start gap-4 pt-1 pb-3">
        <p className="text-sm text-muted">
          No decision will be made unless the video is hidden because of this report.
        </p>
        <Button name="intent" value="withdraw" variant="danger">
          Yes, withdraw it
        </Button>
      </Form>
    </details>
  );
}

/** In UTC, because the reader's time zone isn't known without JavaScript. */
function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} className="figures">
      {`${at.slice(0, 10)}, ${at.slice(11, 16)} UTC`}
    </time>
  );
}
