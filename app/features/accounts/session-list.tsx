import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Time } from "~/ui/time";

export interface SessionRow {
  idHash: string;
  device: string;
  createdAt: string;
  lastUsedAt: string;
  current: boolean;
}

/** Where an admin is signed in, with a button that ends each session but this one. */
export function SessionList({
  sessions,
  busy,
  error,
}: {
  sessions: SessionRow[];
  busy: boolean;
  error?: string;
}) {
  return (
    <div className="flex flex-col gap-4">
      {error && <p className="text-sm text-bad">{error}</p>}
      <ul className="flex flex-col ruled">
        {sessions.map((session) => (
          <li key={session.idHash} className="flex flex-wrap items-center gap-3 py-3">
            <div className="min-w-0 flex-1 basis-48">
              <p className="font-medium">
                {session.device || "Unknown device"}
                {session.current && <span className="ml-2 text-sm text-good">This session</span>}
              </p>
              <p className="text-sm text-muted">
                Signed in <Time value={session.createdAt} />, last used{" "}
                <Time value={session.lastUsedAt} />
              </p>
            </div>
            {!session.current && (
              <Form method="post">
                <input type="hidden" name="session" value={session.idHash} />
                <Button
                  variant="secondary"
                  size="sm"
                  name="intent"
                  value="end-session"
                  disabled={busy}
                >
                  End
                  <span className="sr-only">
                    {" "}
                    the session on {session.device || "an unknown device"}
                  </span>
                </Button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <Form method="post">
          <Button
            variant="danger"
            size="sm"
            name="intent"
            value="end-other-sessions"
            disabled={busy}
          >
            End all other sessions
          </Button>
        </Form>
      )}
      <Form method="post" action="/sign-out" reloadDocument>
        <Button variant="secondary" size="sm" name="everywhere" value="1">
          Sign out everywhere
        </Button>
      </Form>
    </div>
  );
}
