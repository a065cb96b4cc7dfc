import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminLinks } from "~/features/site/admin-navigation";
import { unlessBusy } from "~/platform/busy.server";
import { noStoreHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { AnswerFailure } from "~/ui/feedback/failure-notice";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { Time } from "~/ui/time";
import { type DecisionFailure, decideReport } from "../reports/decide.server";
import { DecisionForm } from "../reports/decision-form";
import { DECISIONS, KIND_LABELS } from "../reports/decisions";
import {
  addVideos,
  endPreservationOf,
  eraseClosedReport,
  preserveReport,
  takeOutVideo,
} from "../reports/report-forms.server";
import { keptOfReporter, readReportPage } from "../reports/report-page.server";
import {
  Course,
  Deadline,
  EarlierReports,
  KeptOfReporterPanel,
  PreservePanel,
  Statement,
} from "../reports/report-panels";
import { ReportedVideos } from "../reports/reported-videos";
import { SafetyLinks } from "../reports/safety-links";

export const meta = privateMeta("Report");

/** What a reporter typed must not stay in a cache, the browser's own included. */
export const headers = noStoreHeaders;

const PERMISSION = "/admin/reports/:id";
/** 2,000 letters of four bytes, each written as three characters. */
const MOST_FORM_BYTES = 32 * 1024;

export async function loader({ request, params }: LoaderFunctionArgs) {
  await requirePermission(request, PERMISSION);
  const page = readReportPage(params.id ?? "");
  if (!page) throw new Response(null, { status: 404, statusText: "Not Found" });
  const withOthers = new URL(request.url).searchParams.has("reporter");
  return { ...page, kept: await keptOfReporter(page.report, withOthers) };
}

export async function action({ request, params }: ActionFunctionArgs) {
  const user = await requirePermission(request, PERMISSION);
  requireOwnOrigin(request);
  const form = await readSmallForm(request, MOST_FORM_BYTES);
  const text = (name: string) => String(form.get(name) ?? "");
  const id = params.id ?? "";
  switch (form.get("intent")) {
    case "erase":
      return answered(id, eraseClosedReport(id, user.id));
    case "add-video":
      return answered(id, addVideos(id, text("address"), user.id));
    case "preserve":
      return answered(id, preserveReport(id, user.id));
    case "end-preservation":
      await requirePermission(request, "/admin/reports/:id end-preservation");
      return answered(id, endPreservationOf(id, user.id));
    case "take-out-video":
      return answered(id, takeOutVideo(id, text("video"), user.id));
  }
  const decision = DECISIONS.find((each) => each === form.get("decision"));
  if (!decision) throw new Response(null, { status: 400, statusText: "Bad Request" });
  return answered(
    id,
    decideReport(
      id,
      {
        decision,
        reason: text("reason"),
        videos: form.getAll("video").map(String),
        version: text("version"),
        isStrike: form.has("strike"),
      },
      user.id,
    ),
  );
}

/** The page of a report again, with what became of a form. */
async function answered(id: string, answering: Promise<DecisionFailure | ToastMessage>) {
  const answer = await unlessBusy(answering);
  if ("status" in answer) return data({ error: answer }, { status: answer.status });
  throw redirectWithToast(`/admin/reports/${encodeURIComponent(id)}`, answer);
}

export default function ReportDecision() {
  useLiveRefresh({ jobs: true });
  const page = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: DecisionFailure }>()?.error;
  const { report } = page;
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex flex-col items-start gap-1">
          <h1 className="text-xl font-semibold">Report: {KIND_LABELS[report.kind]}</h1>
          <p className="text-sm text-muted figures">
            Received <Time value={report.receivedAt} />, to be decided by{" "}
            <Time value={report.dueAt} />
          </p>
          <Deadline report={report} />
        </div>
        <AdminLinks />
      </header>
      <SafetyLinks />
      <AnswerFailure error={error} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <ReportedVideos videos={page.videos} />
          <Statement report={report} />
          <KeptOfReporterPanel report={report} kept={page.kept} />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <DecisionForm page={page} error={error} />
          <Course messages={page.messages} entries={page.entries} />
          <PreservePanel report={report} preservedUntil={page.preservedUntil} />
          <EarlierReports earlier={page.earlier} />
        </div>
      </div>
    </div>
  );
}
