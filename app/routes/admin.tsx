import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import { requireUser } from "~/account/guard.server";
import { useLiveRefresh } from "~/live/use-live-refresh";
import { ffmpegAvailable } from "~/media/ffmpeg.server";
import { WITHOUT_FFMPEG } from "~/media/jobs/kinds";
import { requireOwnOrigin } from "~/server/origin.server";
import { redirectWithToast } from "~/server/toast.server";
import { AdminLinks } from "~/studio/admin-links";
import { loadManage, loadStats } from "~/studio/admin-page.server";
import { AdminTabs } from "~/studio/admin-tabs";
import type { BulkQuestion } from "~/studio/bulk";
import type { StudioFailure } from "~/studio/failure";
import { PageFailure } from "~/studio/failure-notice";
import { manageHref, readManageView } from "~/studio/manage-address";
import { ManageTab } from "~/studio/manage-tab";
import { Refusal } from "~/studio/refusal";
import { StatCards } from "~/studio/stat-cards";
import { performIntent } from "~/studio/studio-action.server";
import { withAdminForm } from "~/studio/studio-form.server";
import { handleUpload, uploadLimits } from "~/studio/upload-action.server";
import type { UploadFailure } from "~/studio/upload-fields";
import { UploadForm } from "~/studio/upload-form";
import { ButtonLink } from "~/ui/button";
import { useAnswer } from "~/ui/use-answer";

export const meta: MetaFunction = () => [
  { title: "Admin Panel" },
  { name: "robots", content: "noindex" },
];

/** What an answer to a form of this page may carry. */
interface Answer {
  upload?: UploadFailure;
  studio?: StudioFailure;
  question?: BulkQuestion;
}

export async function loader({ request }: LoaderFunctionArgs) {
  await requireUser(request);
  const parameters = new URL(request.url).searchParams;
  const statistics = await loadStats();
  const shell = {
    statistics,
    limits: uploadLimits(),
    ffmpeg: ffmpegAvailable(),
    now: Date.now(),
  };
  if (parameters.get("tab") !== "manage") return { ...shell, manage: undefined };
  const manage = await loadManage(parameters);
  const gone = manage.dialog?.video === null;
  return data({ ...shell, manage }, { status: gone ? 404 : 200 });
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requireUser(request);
  requireOwnOrigin(request);
  const view = readManageView(new URL(request.url).searchParams);
  return withAdminForm(request, async ({ kind, form }) => {
    if (kind === "upload") return handleUpload(form, user);
    const answer = await performIntent(form, { userId: user.id, view });
    if ("status" in answer) return data({ studio: answer }, { status: answer.status });
    if ("question" in answer) return data(answer, { status: 200 });
    throw redirectWithToast(manageHref(view), answer);
  });
}

export default function Admin() {
  useLiveRefresh({ jobs: true });
  const { statistics, manage, limits, ffmpeg, now } = useLoaderData<typeof loader>();
  const answer = useAnswer<Answer>();
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Admin Panel</h1>
        <AdminLinks />
        <ButtonLink to="/" variant="ghost" size="sm">
          <ArrowLeft aria-hidden="true" className="size-4" />
          Back to Videos
        </ButtonLink>
      </header>
      {statistics.toast && <PageFailure toast={statistics.toast} />}
      {!ffmpeg && (
        <p role="status" className="rounded-lg border border-line bg-surface p-4 text-sm">
          {WITHOUT_FFMPEG}
        </p>
      )}
      <StatCards stats={statistics.stats} />
      <AdminTabs current={manage ? "manage" : "upload"} />
      {manage ? (
        <ManageTab manage={manage} refusal={answer?.studio} question={answer?.question} now={now} />
      ) : (
        <>
          <Refusal refusal={answer?.studio} closeTo="/admin?tab=manage" />
          <UploadForm limits={limits} failure={answer?.upload} />
        </>
      )}
    </div>
  );
}
