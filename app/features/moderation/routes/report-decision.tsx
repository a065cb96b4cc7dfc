import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import {
  assertAllowed,
  requirePermission,
  type SessionUser,
} from "~/features/permissions/guard.server";
import { AdminPage } from "~/features/site/admin-navigation";
import { unlessBusy } from "~/platform/busy.server";
import { noStoreHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { respondToForm } from "~/platform/toast.server";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { Time } from "~/ui/time";
import { type DecisionFailure, decideReport } from "../reports/decide.server";
import { DECISIONS, KIND_LABELS } from "../reports/decisions";
import {
  addVideosToReport,
  endReportPreservation,
  eraseClosedReport,
  preserveReport,
  removeVideoFromReport,
} from "../reports/report-forms.server";
import { readReporterData, readReportPage } from "../reports/report-page.server";
import {
  Deadline,
  EarlierReports,
  PreservePanel,
  ReporterDataPanel,
  ReportHistory,
  ReportText,
} from "../reports/report-panels";
import { DecisionForm, ReportedVideos } from "../reports/reported-videos";
import { SafetyLinks } from "../reports/safety-links";

export const meta = privateMeta("Report");

/** The reporter's text must not be stored in any cache, not even in the browser's. */
export const headers = noStoreHeaders;

const PERMISSION = "/admin/reports/:id";
/** Large enough for 2,000 characters of four bytes each, with each byte percent-encoded as three characters. */
const MAX_FORM_BYTES = 32 * 1024;

export async function loader({ request, params }: LoaderFunctionArgs) {
  await requirePermission(request, PERMISSION);
  const page = readReportPage(params.id ?? "");
  if (!page) throw new Response(null, { status: 404, statusText: "Not Found" });
  const withOthers = new URL(request.url).searchParams.has("reporter");
  return { ...page, reporterData: await readReporterData(page.report, withOthers) };
}

export async function action({ request, params }: ActionFunctionArgs) {
  const user = await requirePermission(request, PERMISSION);
  requireOwnOrigin(request);
  const form = await readSmallForm(request, MAX_FORM_BYTES);
  const id = params.id ?? "";
  const answer = await unlessBusy(perform(id, user, form));
  return respondToForm(`/admin/reports/${encodeURIComponent(id)}`, answer);
}

function perform(
  id: string,
  user: SessionUser,
  form: FormData,
): Promise<DecisionFailure | ToastMessage> {
  const text = (name: string) => String(form.get(name) ?? "");
  switch (form.get("intent")) {
    case "erase":
      return eraseClosedReport(id, user.id);
    case "add-video":
      return addVideosToReport(id, text("address"), user.id);
    case "preserve":
      return preserveReport(id, user.id);
    case "end-preservation":
      assertAllowed(user, "/admin/reports/:id end-preservation");
      return endReportPreservation(id, user.id);
    case "take-out-video":
      return removeVideoFromReport(id, text("video"), user.id);
  }
  const decision = DECISIONS.find((each) => each === form.get("decision"));
  if (!decision) throw new Response(null, { status: 400, statusText: "Bad Request" });
  const videos = form.getAll("video").map(String);
  const [reason, version] = [text("reason"), text("version")];
  const isStrike = form.has("strike");
  return decideReport(id, { decision, reason, videos, version, isStrike }, user.id);
}

export default function ReportDecision() {
  useLiveRefresh({ jobs: true });
  const page = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: DecisionFailure }>()?.error;
  const { report } = page;
  return (
    <AdminPage
      title={`Report: ${KIND_LABELS[report.kind]}`}
      lead={
        <>
          <p className="figures">
            Received <Time value={report.receivedAt} />, due by <Time value={report.dueAt} />
          </p>
          <Deadline report={report} />
        </>
      }
      error={error}
    >
      <SafetyLinks />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <ReportedVideos videos={page.videos} />
          <ReportText report={report} />
          <ReporterDataPanel report={report} data={page.reporterData} />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <DecisionForm page={page} error={error} />
          <ReportHistory messages={page.messages} entries={page.entries} />
          <PreservePanel report={report} preservedUntil={page.preservedUntil} />
          <EarlierReports earlier={page.earlier} />
        </div>
      </div>
    </AdminPage>
  );
}
