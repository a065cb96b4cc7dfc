import { Form } from "@remix-run/react";
import { formatQuantity } from "~/shared/format";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Time } from "~/ui/time";
import type { AlertsPage, ListedAlert } from "./alerts-page.server";

const CHANNELS = { webhook: "Webhook", email: "E-mail" } as const;

/** Where notices go, and the button for a test. */
export function AlertHead({ targets, busy }: Pick<AlertsPage, "targets"> & { busy: boolean }) {
  if (targets.length === 0) {
    return (
      <p className="rounded-lg border border-line bg-surface p-4 text-sm text-muted sm:p-5">
        Alerts are listed here alone. Set <code>ALERT_WEBHOOK</code> or <code>ALERT_EMAIL</code> to
        be told, and start the site again.
      </p>
    );
  }
  return (
    <section
      aria-label="Where alerts go"
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
        <Button name="intent" value="test" variant="secondary" busy={busy} busyLabel="Sending...">
          Send a test
        </Button>
      </Form>
    </section>
  );
}

/** The last alerts, the newest first, with what became of their notices. */
export function AlertList({
  last,
  isResuming,
}: Pick<AlertsPage, "last"> & { isResuming: boolean }) {
  return (
    <ul aria-label="Last alerts" className="ruled rounded-lg border border-line bg-surface text-sm">
      {last.map((alert) => (
        <li key={alert.id} className="flex flex-col gap-1 p-3 sm:px-4">
          <p className="flex flex-wrap items-center gap-2 text-muted figures">
            <Time value={alert.raisedAt} />
            <StateBadge alert={alert} />
          </p>
          <p className="font-medium wrap-anywhere">{alert.sentence}</p>
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
              Over since <Time value={alert.resolvedAt} />.
            </p>
          )}
          {alert.deliveries.map((delivery) => (
            <p key={delivery.id} className="text-muted figures wrap-anywhere">
              {CHANNELS[delivery.channel]}
              {delivery.event === "resolved" && ", that it is over"}: <Outcome {...delivery} />
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}

function StateBadge({ alert }: { alert: ListedAlert }) {
  if (alert.kind === "test") return <Badge>Test</Badge>;
  return alert.resolvedAt ? <Badge tone="good">Over</Badge> : <Badge tone="warn">Now</Badge>;
}

function Outcome({ deliveredAt, nextAt, attempts, reason }: ListedAlert["deliveries"][number]) {
  if (deliveredAt) {
    return (
      <>
        sent <Time value={deliveredAt} />.
      </>
    );
  }
  if (attempts === 0) return <>waits to be sent.</>;
  return (
    <>
      {reason} {formatQuantity(attempts, "attempt")},{" "}
      {nextAt ? (
        <>
          the next <Time value={nextAt} />.
        </>
      ) : (
        "given up."
      )}
    </>
  );
}
