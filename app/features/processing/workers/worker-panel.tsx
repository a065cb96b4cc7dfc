import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/forms/field";
import { PageSection } from "~/ui/page-section";

const MOST_NAME_LETTERS = 60;

/** The command that starts a worker whose token was just made: nobody can read that again. */
export function NewWorker({ token, origin }: { token: string; origin: string }) {
  return (
    <PageSection id="new-worker" title="Your new worker">
      <p>
        Copy its token now: it is not shown again. On the other machine, in a copy of this program:
      </p>
      <p className="rounded-md border border-line-strong bg-ground p-3 text-sm wrap-anywhere select-all">
        <code>
          WORKER_TOKEN={token} npm run worker -- --site {origin}
        </code>
      </p>
    </PageSection>
  );
}

export function WorkerForm({ busy, error }: { busy: boolean; error?: string }) {
  return (
    <PageSection id="make-worker" title="Make a worker">
      <Form method="post" className="flex flex-col gap-4" aria-labelledby="make-worker">
        <Field
          label="Name"
          name="name"
          required
          maxLength={MOST_NAME_LETTERS}
          hint="Which machine it is."
          error={error}
        />
        <div>
          <Button name="intent" value="create" busy={busy} busyLabel="Making...">
            Make Worker
          </Button>
        </div>
      </Form>
    </PageSection>
  );
}

export function RevokeWorker({ id, name, busy }: { id: number; name: string; busy: boolean }) {
  return (
    <Form method="post">
      <input type="hidden" name="id" value={id} />
      <Button variant="danger" size="sm" name="intent" value="revoke" disabled={busy}>
        Revoke<span className="sr-only"> {name}</span>
      </Button>
    </Form>
  );
}
