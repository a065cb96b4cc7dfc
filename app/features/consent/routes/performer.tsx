import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { usePermissions } from "~/features/permissions/use-permissions";
import { AdminLinks } from "~/features/site/admin-navigation";
import { noStoreHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { settings } from "~/platform/settings.server";
import { redirectWithToast } from "~/platform/toast.server";
import { AnswerFailure } from "~/ui/feedback/failure-notice";
import { useFormResponse } from "~/ui/forms/use-form-response";
import {
  type PerformerFailure,
  type PerformerTexts,
  performOnPerformer,
} from "../performer-action.server";
import { Documents, Kept, PerformerForm } from "../performer-panels";
import { findPerformer } from "../performers.server";

export const meta = privateMeta("Performer");

/** A legal name must not stay in a cache, the browser's own included. */
export const headers = noStoreHeaders;

const PERMISSION = "/admin/consent/:id";

const EMPTY_PERFORMER: PerformerTexts = {
  stageNames: "",
  legalName: "",
  dateOfBirth: "",
  documentKind: "",
  checkedOn: "",
};

export async function loader({ request, params }: LoaderFunctionArgs) {
  await requirePermission(request, PERMISSION);
  const isNew = params.id === "new";
  const performer = isNew ? undefined : findPerformer(params.id ?? "");
  if (!performer && !isNew) throw new Response(null, { status: 404, statusText: "Not Found" });
  return { performer, isRequired: settings().requireConsent };
}

export async function action({ request, params }: ActionFunctionArgs) {
  const user = await requirePermission(request, PERMISSION);
  requireOwnOrigin(request);
  const answer = await performOnPerformer(request, params.id ?? "", user);
  if ("status" in answer) return data({ error: answer }, { status: answer.status });
  throw redirectWithToast(answer.to, answer.toast);
}

export default function PerformerPage() {
  const { performer, isRequired } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: PerformerFailure }>()?.error;
  const may = usePermissions();
  const stored = performer && {
    stageNames: performer.stageNames.join("\n"),
    legalName: performer.legalName ?? "",
    dateOfBirth: performer.dateOfBirth ?? "",
    documentKind: performer.documentKind ?? "",
    checkedOn: performer.checkedOn ?? "",
  };
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <Link to="/admin/consent" className="text-sm text-muted hover:text-ink">
            Consent
          </Link>
          <h1 dir="auto" className="text-xl font-semibold wrap-anywhere">
            {performer?.stageNames[0] ?? "New performer"}
          </h1>
        </div>
        <AdminLinks />
      </header>
      <AnswerFailure error={error} />
      <PerformerForm
        typed={error?.typed ?? stored ?? EMPTY_PERFORMER}
        errors={error?.fields}
        shown={performer?.updatedAt ?? ""}
        isReadable={performer?.isReadable ?? true}
      />
      {performer && (
        <>
          <Documents
            performer={performer}
            mayRead={may("/admin/consent/:id add-document")}
            error={error?.document}
          />
          <Kept {...{ performer, isRequired }} mayForget={may("/admin/consent/:id forget")} />
        </>
      )}
    </div>
  );
}
