import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, useLoaderData, useNavigation } from "@remix-run/react";
import { BellRing } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminLinks } from "~/features/site/admin-navigation";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { unlessBusy } from "~/platform/busy.server";
import { type Failure, failure } from "~/platform/failure";
import { announceStudioChange } from "~/platform/live/hub.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { formatQuantity } from "~/shared/format";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { AnswerFailure } from "~/ui/feedback/failure-notice";
import { success } from "~/ui/feedback/toast-message";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { Time } from "~/ui/time";
import { transaction } from "~db/client.server";
import {
  type AlertsPage,
  channels,
  type ListedAlert,
  raiseAlert,
  readAlertsPage,
} from "../alerts/alert-records.server";
import { checkAlerts } from "../alerts/check-alerts.server";
import { deliverDue } from "../alerts/deliver.server";
import { resumeRemovals } from "../library-check/paused-removals.server";

export const meta = privateMeta("Alerts");

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/alerts");
  return await readAlertsPage();
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/alerts");
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  const intent = form.get("intent");
  if (intent === "test") return sendTest(user.id);
  if (intent === "resume-removals") return resume(user.id);
  throw new Response(null, { status: 400, statusText: "Bad Request" });
}

async function sendTest(userId: string) {
  if (channels().length === 0) {
    const error = failure(409, "No test alert was sent.", {
      detail: "Set ALERT_WEBHOOK or ALERT_EMAIL and restart the site.",
    });
    return data({ error }, { status: error.status });
  }
  await unlessBusy(raiseAlert({ kind: "test", message: "This is a test alert." }));
  await unlessBusy(transaction(() => recordActivity({ userId, action: "alert-test" })));
  // The delivery isn't awaited: the page is updated when the alert has been delivered.
  deliverDue().catch(console.error);
  throw redirectWithToast(
    "/admin/alerts",
    success("Alerts", "Test sent. Its delivery status is shown below."),
  );
}

async function resume(userId: string) {
  const reason = await removalsPausedBy();
  if (!reason) {
    const error = failure(409, "Removals aren’t paused.");
    return data({ error }, { status: error.status });
  }
  await unlessBusy(transaction(() => recordActivity({ userId, action: "removals-resume" })));
  const resumed = resumeRemovals()
    .then(() => checkAlerts())
    .then(() => announceStudioChange());
  // If files are missing, every recorded file is checked again, which takes minutes in a large library.
  const takesLong = reason === "missing-files";
  if (takesLong) resumed.catch(console.error);
  else await unlessBusy(resumed);
  throw redirectWithToast(
    "/admin/alerts",
    success(
      "Alerts",
      takesLong
        ? "Removals will resume as soon as the library has been checked."
        : "Removals have resumed.",
    ),
  );
}

export default function Alerts() {
  useLiveRefresh({ jobs: true });
  const { targets, last } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: Failure }>()?.error;
  const busy = useNavigation().formData?.get("intent");
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h1 className="text-xl font-semibold">Alerts</h1>
          <p className="text-sm text-muted">
            Disk space, failed processing, backup problems and missing files.
          </p>
        </div>
        <AdminLinks />
      </header>
      <AnswerFailure error={error} />
      <AlertHead targets={targets} busy={busy === "test"} />
      {last.length === 0 ? (
        <EmptyState icon={<BellRing />} title="No alerts" />
      ) : (
        <AlertList last={last} isResuming={busy === "resume-removals"} />
      )}
    </div>
  );
}

const CHANNELS = { webhook: "Webhook", email: "Email" } as const;

function AlertHead({ targets, busy }: Pick<AlertsPage, "targets"> & { busy: boolean }) {
  if (targets.length === 0) {
    return (
      <p className="rounded-lg border border-line bg-surface p-4 text-sm text-muted sm:p-5">
        Alerts only appear on this page. To be notified, set <code>ALERT_EMAIL</code> or{" "}
        <code>ALERT_WEBHOOK</code> and restart the site.
      </p>
    );
  }
  return (
    <section
      aria-label="Notification channels"
      className="flex flex-wrap items-center justify-between gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <ul className="flex min-w-0 grow basis-60 flex-col gap-1 text-sm">
        {targets.map(({ channel, name }) => (
          <li key={channel} className="wrap-anywhere">
            <span className="text-muted">{CHANNELS[channel]} to</span> {name}
          </li>
        ))}
      </ul>
      <Form method="post" action="/admin/alerts" preventScrollReset>
        <Button name="intent" value="test" variant="secondary" busy={busy} busyLabel="Sending…">
          Send test
        </Button>
      </Form>
    </section>
  );
}

/** The most recent alerts, newest first, with the deliveries of their notices. */
function AlertList({ last, isResuming }: Pick<AlertsPage, "last"> & { isResuming: boolean }) {
  return (
    <ul
      aria-label="Recent alerts"
      className="ruled rounded-lg border border-line bg-surface text-sm"
    >
      {last.map((alert) => (
        <li key={alert.id} className="flex flex-col gap-1 p-3 sm:px-4">
          <p className="flex flex-wrap items-center gap-2 text-muted figures">
            <Time value={alert.raisedAt} />
            <StateBadge alert={alert} />
          </p>
          <p className="font-medium wrap-anywhere">{alert.message}</p>
          {alert.kind === "removals" && !alert.resolvedAt && (
            <Form method="post" action="/admin/alerts" preventScrollReset className="py-1">
              <Button
                name="intent"
                value="resume-removals"
                variant="secondary"
                size="sm"
                busy={isResuming}
                busyLabel="Resuming…"
              >
                Resume removals
              </Button>
            </Form>
          )}
          {alert.kind !== "test" && alert.resolvedAt && (
            <p className="text-muted figures">
              Resolved <Time value={alert.resolvedAt} />.
            </p>
          )}
          {alert.deliveries.map((delivery) => (
            <p key={delivery.id} className="text-muted figures wrap-anywhere">
              {CHANNELS[delivery.channel]}
              {delivery.event === "resolved" && " (resolved)"}: <Outcome {...delivery} />
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}

function StateBadge({ alert }: { alert: ListedAlert }) {
  if (alert.kind === "test") return <Badge>Test</Badge>;
  return alert.resolvedAt ? <Badge tone="good">Resolved</Badge> : <Badge tone="warn">Active</Badge>;
}

function Outcome({ deliveredAt, nextAt, attempts, reason }: ListedAlert["deliveries"][number]) {
  if (deliveredAt) {
    return (
      <>
        sent <Time value={deliveredAt} />.
      </>
    );
  }
  if (attempts === 0) return <>waiting to be sent.</>;
  return (
    <>
      {reason} {formatQuantity(attempts, "attempt")},{" "}
      {nextAt ? (
        <>
          next retry <Time value={nextAt} />.
        </>
      ) : (
        "no further retries."
      )}
    </>
  );
}
