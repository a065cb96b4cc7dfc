import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminLinks } from "~/features/site/admin-navigation";
import { toFormError } from "~/platform/form-error.server";
import { noStoreHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { Button } from "~/ui/button";
import { useFormErrorToast } from "~/ui/feedback/use-error-toast";
import { Field } from "~/ui/forms/field";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { PageLink } from "~/ui/page-link";
import { PageSection } from "~/ui/page-section";
import { WorkerList } from "../workers/worker-list";
import { createWorker, listWorkers, revokeWorker } from "../workers/workers.server";

export const meta = privateMeta("Workers");

/** Keeps the token out of all caches, including the browser's cache. */
export const headers = noStoreHeaders;

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/workers");
  return { workers: await listWorkers(), now: Date.now(), origin: siteIdentity(request).origin };
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/workers");
  requireOwnOrigin(request);
  const form = await readSmallForm(request);
  const intent = form.get("intent");
  try {
    if (intent === "create")
      return { token: await createWorker(user.id, form), message: undefined };
    if (intent !== "revoke") {
      return data({ message: "The form is incomplete.", token: undefined }, 400);
    }
    if (!(await revokeWorker(user.id, Number(form.get("id"))))) {
      return data({ message: "This worker has already been revoked.", token: undefined }, 404);
    }
  } catch (error) {
    const { message, init } = toFormError(error);
    return data({ message, token: undefined }, init);
  }
  return redirectWithToast("/admin/workers", {
    title: "Success",
    description: "Worker revoked. Its jobs were returned to the queue.",
    kind: "success",
  });
}

export default function Workers() {
  const { workers, now, origin } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const busy = useNavigation().formAction === "/admin/workers";
  useLiveRefresh({ jobs: true });
  useFormErrorToast(answer);
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-bold">Workers</h1>
        <AdminLinks />
      </div>
      <p className="text-muted">
        A worker is another machine that encodes the streaming versions of videos for this site. It
        doesn’t need access to the database or disk, but it can read the videos that it encodes.
        Queued jobs are on the{" "}
        <PageLink to="/admin/queue" className="text-ink underline underline-offset-4">
          Processing
        </PageLink>{" "}
        page.
      </p>
      {answer?.token && (
        <PageSection id="new-worker" title="Your new worker">
          <p>
            Copy the token now. It won’t be shown again. Run this on the other machine, in a copy of
            this software:
          </p>
          <p className="rounded-md border border-line-strong bg-ground p-3 text-sm wrap-anywhere select-all">
            <code>
              WORKER_TOKEN={answer.token} npm run worker -- --site {origin}
            </code>
          </p>
        </PageSection>
      )}
      <PageSection id="create-worker" title="Create worker">
        <Form
          key={answer?.token}
          method="post"
          className="flex flex-col gap-4"
          aria-labelledby="create-worker"
        >
          <Field
            label="Name"
            name="name"
            required
            maxLength={60}
            hint="A name for the machine."
            error={answer?.message}
          />
          <div>
            <Button name="intent" value="create" busy={busy} busyLabel="Creating…">
              Create worker
            </Button>
          </div>
        </Form>
      </PageSection>
      <PageSection id="workers" title="Workers">
        {workers.length === 0 ? (
          <p className="text-muted">No workers yet. Videos are encoded on this server.</p>
        ) : (
          <WorkerList workers={workers} now={now}>
            {({ id, name }) => (
              <Form method="post">
                <input type="hidden" name="id" value={id} />
                <Button variant="danger" size="sm" name="intent" value="revoke" disabled={busy}>
                  Revoke<span className="sr-only"> {name}</span>
                </Button>
              </Form>
            )}
          </WorkerList>
        )}
      </PageSection>
    </div>
  );
}
