import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/meta/private-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminLinks } from "~/features/site/admin-navigation";
import { toFormError } from "~/platform/form-error.server";
import { noStoreHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { siteIdentity } from "~/platform/site-origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { useFormErrorToast } from "~/ui/feedback/use-error-toast";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { PageLink } from "~/ui/page-link";
import { PageSection } from "~/ui/page-section";
import { WorkerList } from "../workers/worker-list";
import { NewWorker, RevokeWorker, WorkerForm } from "../workers/worker-panel";
import { createWorker, listWorkers, revokeWorker } from "../workers/workers.server";

export const meta = privateMeta("Workers");

/** A token must not stay in a cache, the browser's own included. */
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
      return data({ message: "This form is not complete.", token: undefined }, 400);
    }
    if (!(await revokeWorker(user.id, Number(form.get("id"))))) {
      return data({ message: "This worker was revoked before.", token: undefined }, 404);
    }
  } catch (error) {
    const { message, init } = toFormError(error);
    return data({ message, token: undefined }, init);
  }
  return redirectWithToast("/admin/workers", {
    title: "Success",
    description: "The worker has been revoked. What it was making waits again.",
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
        A worker is another machine that makes the streaming qualities of videos for this site. It
        needs no access to the database or the disk, and sees the films that it converts. What waits
        is shown by the{" "}
        <PageLink to="/admin/queue" className="text-ink underline underline-offset-4">
          queue
        </PageLink>
        .
      </p>
      {answer?.token && <NewWorker token={answer.token} origin={origin} />}
      <WorkerForm key={answer?.token} busy={busy} error={answer?.message} />
      <PageSection id="workers" title="Workers">
        {workers.length === 0 ? (
          <p className="text-muted">There is no worker: the site converts by itself.</p>
        ) : (
          <WorkerList workers={workers} now={now}>
            {({ id, name }) => <RevokeWorker id={id} name={name} busy={busy} />}
          </WorkerList>
        )}
      </PageSection>
    </div>
  );
}
