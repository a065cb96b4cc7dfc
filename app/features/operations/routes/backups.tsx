import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, useNavigation } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminLinks } from "~/features/site/admin-navigation";
import { unlessBusy } from "~/platform/busy.server";
import { type Failure, failure } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { settings } from "~/platform/settings.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { AnswerFailure } from "~/ui/feedback/failure-notice";
import { success } from "~/ui/feedback/toast-message";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { BackupHead, BackupList, BackupNotes, ReplicationNote } from "../backups/backup-panel";
import { readBackupsPage } from "../backups/backups-page.server";
import { startBackup } from "../backups/run-backups.server";

export const meta = privateMeta("Backups");

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/backups");
  const now = Date.now();
  return { page: await readBackupsPage(now), now };
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/backups");
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  if (form.get("intent") !== "back-up") {
    throw new Response(null, { status: 400, statusText: "Bad Request" });
  }
  const started = await unlessBusy(startBackup({ userId: user.id, dueAt: null }));
  if (started) {
    throw redirectWithToast(
      "/admin/backups",
      success("Backups", "Backup started. You can leave this page."),
    );
  }
  const error = settings().backupDir
    ? failure(409, "A backup is already running.")
    : failure(409, "No backup was created.", { detail: "BACKUP_DIR is not set." });
  return data({ error }, { status: error.status });
}

export default function Backups() {
  useLiveRefresh({ jobs: true });
  const { page, now } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: Failure }>()?.error;
  const busy = useNavigation().formData?.get("intent") === "back-up";
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Backups</h1>
        <AdminLinks />
      </header>
      <AnswerFailure error={error} />
      <BackupHead page={page} now={now} busy={busy} />
      <BackupNotes schedule={page.schedule} />
      {page.replication && <ReplicationNote replication={page.replication} />}
      <BackupList last={page.last} />
    </div>
  );
}
