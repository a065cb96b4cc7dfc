import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { requirePermission } from "~/features/permissions/guard.server";
import { usePermissions } from "~/features/permissions/use-permissions";
import { AdminPage } from "~/features/site/admin-navigation";
import { noStoreHeaders } from "~/platform/no-store.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { settings } from "~/platform/settings.server";
import { respondToForm } from "~/platform/toast.server";
import { useFormResponse } from "~/ui/forms/use-form-response";
import {
  type PerformerFailure,
  type PerformerTexts,
  performPerformerForm,
} from "../performer-action.server";
import { Documents, PerformerForm, StoredData } from "../performer-panels";
import { findPerformer } from "../performers.server";

export const meta = privateMeta("Performer");

/** Legal names must not be cached, not even by the browser. */
export const headers = noStoreHeaders;

const PERMISSION = "/admin/consent/:id";

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
  const answer = await performPerformerForm(request, params.id ?? "", user);
  return "status" in answer ? respondToForm("", answer) : respondToForm(answer.to, answer.toast);
}

export default function PerformerPage() {
  const { performer, isRequired } = useLoaderData<typeof loader>();
  const error = useFormResponse<{ error?: PerformerFailure }>()?.error;
  const may = usePermissions();
  const stored: PerformerTexts = {
    stageNames: performer?.stageNames.join("\n") ?? "",
    legalName: performer?.legalName ?? "",
    dateOfBirth: performer?.dateOfBirth ?? "",
    documentKind: performer?.documentKind ?? "",
    checkedOn: performer?.checkedOn ?? "",
  };
  return (
    <AdminPage
      title={performer?.stageNames[0] ?? "New performer"}
      above={
        <Link to="/admin/consent" className="text-sm text-muted hover:text-ink">
          Consent
        </Link>
      }
      error={error}
    >
      <PerformerForm
        typed={error?.typed ?? stored}
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
          <StoredData {...{ performer, isRequired }} mayForget={may("/admin/consent/:id forget")} />
        </>
      )}
    </AdminPage>
  );
}
