import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
} from "@remix-run/node";
import { Form, useLoaderData, useNavigation } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { fetchCards } from "~/features/catalogue/fetch-cards";
import { privateMeta } from "~/features/catalogue/page-meta";
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
import { Button } from "~/ui/button";
import { success } from "~/ui/feedback/toast-message";
import { Field, FieldNotes, TextAreaField } from "~/ui/forms/field";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { PageLink } from "~/ui/page-link";
import { REPORT_KINDS, type ReportKind } from "~db/schema/moderation";
import { emailSender } from "../reports/report-records.server";
import { KIND_TEXTS } from "../reports/report-texts";
import { newFormId, statusPath } from "../reports/status-token.server";
import {
  plainText,
  puzzleFor,
  type RefusedReport,
  submitReport,
  type TypedReport,
  toReportKind,
} from "../reports/submit-report.server";
import { parseVideoIds } from "../reports/video-links";

export const meta = privateMeta("Report");

export const headers: HeadersFunction = (args) => {
  const headers = new Headers(unlistedHeaders(args));
  const cookie = args.loaderHeaders.get("Set-Cookie");
  if (cookie) headers.append("Set-Cookie", cookie);
  return headers;
};

/**
 * Ensures that only one report is created if the form is open in two tabs or submitted twice. The cookie doesn't store
 * anything else.
 */
const FORM_COOKIE = "report";
const FORM_MS = 3_600_000;
const MAX_ID_LENGTH = 200;
/** Large enough for all fields, even if each character takes up nine bytes in the encoded form. */
const MAX_FORM_BYTES = 128 * 1024;

function readParams(request: Request) {
  const { searchParams } = new URL(request.url);
  const videoId = plainText(searchParams.get("video") ?? "").slice(0, MAX_ID_LENGTH);
  return { videoId, kind: toReportKind(searchParams.get("kind")) };
}

export async function loader({ request }: LoaderFunctionArgs) {
  const { videoId, kind } = readParams(request);
  const video = videoId ? await findPublished(videoId) : undefined;
  const formId = readSignedCookie(request, FORM_COOKIE) ?? newFormId();
  return data(
    {
      ...{ videoId, kind, formId },
      title: video?.title,
      where: videoId ? siteOrigin(request) + videoPath(videoId) : "",
      puzzle: kind && puzzleFor(request),
      hasMail: settings().smtpUrl !== undefined && emailSender() !== undefined,
      email: contactEmail(request),
    },
    kind && {
      headers: { "Set-Cookie": signedCookie(FORM_COOKIE, formId, Date.now() + FORM_MS) },
    },
  );
}

export async function action({ request }: ActionFunctionArgs) {
  requireOwnOrigin(request);
  const { kind } = readParams(request);
  const form = await readSmallForm(request, MAX_FORM_BYTES);
  if (!kind) throw new Response(null, { status: 400, statusText: "Bad Request" });
  const answer = await unlessBusy(submitReport(request, kind, form));
  if ("status" in answer) return data(answer, { status: answer.status });
  throw redirectWithToast(
    statusPath(answer.id),
    success("Report received", "Save this link. It is the only way to check on your report."),
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
              Choose a different reason
            </PageLink>
          </p>
        ) : (
          <p className="mt-3 text-muted">
            No account needed. Your report is encrypted, only moderators can read it, and it’s
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
        You can also email{" "}
        <a href={`mailto:${email}`} className="underline">
          {email}
        </a>
        .
      </p>
    </div>
  );
}

function reportHref(videoId: string, kind?: ReportKind): string {
  const parameters = new URLSearchParams();
  if (videoId) parameters.set("video", videoId);
  if (kind) parameters.set("kind", kind);
  return parameters.size > 0 ? `/report?${parameters}` : "/report";
}

/** The first step, in which the visitor selects the kind of report. The links work without JavaScript. */
function KindChoice({ videoId }: { videoId: string }) {
  return (
    <ul className="flex flex-col gap-3">
      {REPORT_KINDS.map((kind) => (
        <li key={kind}>
          <PageLink
            to={reportHref(videoId, kind)}
            className="flex min-h-11 flex-col gap-1 rounded-lg border border-line bg-surface p-4 hover:border-line-strong"
          >
            <span className="font-semibold">{KIND_TEXTS[kind].label}</span>
            <span className="text-sm text-muted">{KIND_TEXTS[kind].about}</span>
          </PageLink>
        </li>
      ))}
    </ul>
  );
}

/** The fields in the order in which they appear on the page. */
const FIELDS = ["where", "what", "name", "email", "statement", "answer"] as const;

/**
 * The second step, in which the visitor fills in the report. After an error, the form keeps the entered values, and the
 * first invalid field gets the focus.
 */
function ReportForm({
  kind,
  formId,
  typed,
  errors,
  puzzle,
  hasMail,
  isUnknown = false,
}: Pick<RefusedReport, "typed" | "errors" | "puzzle" | "isUnknown"> & {
  kind: ReportKind;
  formId: string;
  hasMail: boolean;
}) {
  const [where, setWhere] = useState(typed.where);
  const form = useRef<HTMLFormElement>(null);
  const isBusy = useNavigation().formMethod === "POST";
  const texts = KIND_TEXTS[kind];
  useEffect(() => {
    if (Object.keys(errors).length === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errors]);
  const first = FIELDS.find((name) => errors[name]);
  const field = (name: "where" | "what" | "name" | "email") => ({
    name,
    error: errors[name],
    defaultValue: typed[name],
    // Without JavaScript, `autoFocus` moves the focus to the first invalid field.
    autoFocus: first === name,
  });
  return (
    <Form ref={form} method="post" noValidate className="flex flex-col gap-5">
      <input type="hidden" name="form" value={formId} />
      <TextAreaField
        label="Link to the video"
        hint="For several videos, enter one link per line."
        rows={3}
        required
        {...field("where")}
        onChange={({ target }) => setWhere(target.value)}
      />
      <FoundVideos text={where} />
      {isUnknown && <input type="hidden" name="anyway" value={typed.where} />}
      <TextAreaField label="What’s wrong?" hint={texts.what} rows={6} required {...field("what")} />
      <Field
        label={texts.name ? "Your full name" : "Your name (optional)"}
        hint={texts.name}
        autoComplete="name"
        required={texts.name !== undefined}
        {...field("name")}
      />
      {hasMail && (
        <Field
          label="Your email (optional)"
          hint="Only used for updates on this report."
          type="email"
          autoComplete="email"
          {...field("email")}
        />
      )}
      <Statements {...{ kind, typed }} error={errors.statement} isFirst={first === "statement"} />
      {puzzle && (
        <div className="flex flex-col gap-5 rounded-lg border border-line bg-surface p-4">
          <input key={puzzle.token} type="hidden" name="puzzle" value={puzzle.token} />
          <Field
            key={puzzle.question}
            label={puzzle.question}
            hint="We’re getting a lot of reports. Please answer this question within 15 minutes."
            name="answer"
            autoComplete="off"
            autoCapitalize="none"
            maxLength={40}
            required
            error={errors.answer}
            autoFocus={first === "answer"}
          />
        </div>
      )}
      <Button busy={isBusy} busyLabel="Sending..." className="self-start">
        {isUnknown ? "Send report anyway" : "Send report"}
      </Button>
    </Form>
  );
}

function Statements({
  kind,
  typed,
  error,
  isFirst,
}: {
  kind: ReportKind;
  typed: TypedReport;
  error: string | undefined;
  isFirst: boolean;
}) {
  const missing = KIND_TEXTS[kind].statements.findIndex((_, at) => !typed.ticked.includes(at));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-sm font-medium">Your statement</legend>
      {KIND_TEXTS[kind].statements.map((statement, at) => {
        const isWrong = error !== undefined && !typed.ticked.includes(at);
        return (
          <label key={statement} className="flex min-h-11 items-start gap-3 py-1 text-sm">
            <input
              type="checkbox"
              name={`statement-${at}`}
              value="1"
              defaultChecked={typed.ticked.includes(at)}
              aria-invalid={isWrong || undefined}
              aria-describedby={isWrong ? "statement-error" : undefined}
              // biome-ignore lint/a11y/noAutofocus: focuses the first invalid field without JavaScript.
              autoFocus={isFirst && at === missing}
              className="mt-0.5 size-5 shrink-0"
            />
            {statement}
          </label>
        );
      })}
      <FieldNotes id="statement" error={error} />
    </fieldset>
  );
}

/** How long to wait after the last keystroke before looking up the videos. */
const WAIT_MS = 400;

function FoundVideos({ text }: { text: string }) {
  const [found, setFound] = useState<{ titles: string[]; missing: string[] }>();
  useEffect(() => {
    setFound(undefined);
    if (!text.trim()) return;
    const ids = parseVideoIds(text);
    const aborter = new AbortController();
    const findVideos = async () => {
      const cards = ids.length > 0 ? await fetchCards(ids, aborter.signal) : [];
      const isFound = (id: string) => cards.some((card) => card.id === id);
      const missing = ids.filter((id) => !isFound(id));
      setFound({ titles: cards.map(({ title }) => title), missing });
    };
    // If the lookup fails, the response to the form reports missing videos.
    const timer = setTimeout(() => findVideos().catch(() => {}), WAIT_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [text]);
  if (!found) return <p role="status" />;
  const { titles, missing } = found;
  return (
    <div role="status" className="flex flex-col gap-1 text-sm wrap-anywhere">
      {titles.map((title, at) => (
        <p key={at} className="text-good">
          Found: <bdi>{title}</bdi>
        </p>
      ))}
      {missing.map((id) => (
        <p key={id} className="text-warn">
          We can’t find this video: {videoPath(id)}
        </p>
      ))}
      {titles.length + missing.length === 0 && (
        <p className="text-warn">
          No video link found. Video links start with {location.origin}/video/
        </p>
      )}
    </div>
  );
}
