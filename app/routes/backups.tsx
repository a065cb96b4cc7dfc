import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, useNavigation } from "@remix-run/react";
import { requirePermission } from "~/account/guard.server";
import { privateMeta } from "~/catalogue/meta/private-meta";
import { useLiveRefresh } from "~/live/use-live-refresh";
import { unlessBusy } from "~/server/busy.server";
import { requireOwnOrigin } from "~/server/origin.server";
import { settings } from "~/server/settings.server";
import { readSmallForm } from "~/server/small-form.server";
import { redirectWithToast } from "~/server/toast.server";
import { AdminLinks } from "~/studio/admin-navigation";
import { BackupHead, BackupList, BackupNotes } from "~/studio/backups/backup-panel";
import { readBackupsPage } from "~/studio/backups/backups-page.server";
import { ReplicationNote } from "~/studio/backups/replication-note";
import { startBackup } from "~/studio/backups/run-backups.server";
import { type Failure, failure } from "~/studio/failure";
import { AnswerFailure } from "~/studio/failure-notice";
import { useFormResponse } from "~/ui/forms/use-form-response";

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
    throw redirectWithToast("/admin/backups", {
      title: "Backups",
      description: "A backup is being made. You may leave this page.",
      kind: "success",
    });
  }
  const error = settings().backupDir
    ? failure(409, "A backup is being made already.")
    : failure(409, "No backup was made.", { detail: "BACKUP_DIR is not set." });
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
      <BackupNotes timetable={page.timetable} />
      {page.replication && <ReplicationNote replication={page.replication} />}
      <BackupList last={page.last} />
    </div>
  );
}
