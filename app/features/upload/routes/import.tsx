import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useLocation, useNavigation } from "@remix-run/react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { checkTerms, requiredTerms } from "~/features/moderation/uploaders/terms.server";
import { requirePermission } from "~/features/permissions/guard.server";
import { AdminPage } from "~/features/site/admin-navigation";
import { UploadError } from "~/media/intake/upload-error.server";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readFields } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { toCategoryId } from "~/shared/categories";
import { formatQuantity } from "~/shared/format";
import { buttonClass } from "~/ui/button";
import { success } from "~/ui/feedback/toast-message";
import { useFormErrorToast } from "~/ui/feedback/use-error-toast";
import { useLiveRefresh } from "~/ui/live/use-live-refresh";
import { PageSection } from "~/ui/page-section";
import {
  type AddressFailure,
  addDownloads,
  cancelDownload,
  listDownloads,
  takeAddress,
} from "../import/downloads.server";
import { AddressForm, DownloadList, FolderForm, TableForm } from "../import/import-forms";
import {
  beginFolderImport,
  cancelFolderImport,
  serverFolder,
} from "../import/server-folder.server";
import { ImportError, planAddresses } from "../import/table.server";

export const meta = privateMeta("Import");

/** Large enough for a table of a thousand videos with descriptions. */
const MAX_FORM_BYTES = 4 * 1024 * 1024;

/** The reasons why a form was rejected, with the entered values. */
interface Answer {
  message: string;
  intent: string;
  address?: AddressFailure;
  table?: string;
  /** The reason why the uploaders' terms weren't accepted, with the version in the form. */
  terms?: string;
  accepted?: string;
}

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/import");
  return { downloads: await listDownloads(), folder: serverFolder(), terms: requiredTerms() };
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/import");
  requireOwnOrigin(request);
  const form = await readFields(request, MAX_FORM_BYTES);
  const text = (name: string) => String(form.get(name) ?? "");
  const intent = text("intent");
  const done = (description: string) =>
    redirectWithToast("/admin/import", success("Import", description));
  const typed = { intent, table: text("table"), accepted: text("terms") };
  const refuseTerms = (refusal: string) =>
    data<Answer>({ ...typed, message: refusal, terms: refusal }, { status: 422 });
  try {
    switch (intent) {
      case "address-publish":
      case "address-draft": {
        const address = await takeAddress(form, user.id);
        if (!address) return done("The video is being imported.");
        return data<Answer>({ ...typed, message: address.message, address }, { status: 422 });
      }
      case "table": {
        const { refusal, acceptance } = checkTerms(text("terms"));
        if (refusal) return refuseTerms(refusal);
        const entries = await planAddresses(text("table"));
        const shared = { userId: user.id, terms: acceptance?.version };
        await addDownloads(entries.map((entry) => ({ ...entry, ...shared })));
        return done(`${formatQuantity(entries.length, "video")} will be imported.`);
      }
      case "cancel":
        if (!(await cancelDownload(Number(text("id"))))) {
          throw new ImportError("The import has already ended.");
        }
        return done("Import canceled.");
      case "folder": {
        const { refusal } = checkTerms(text("terms"));
        if (refusal) return refuseTerms(refusal);
        await beginFolderImport({
          userId: user.id,
          status: text("status") === "published" ? "published" : "review",
          mode: text("mode") === "move" ? "move" : "copy",
          category: toCategoryId(text("category")),
          table: text("table"),
          terms: text("terms"),
        });
        return done("The folder is being imported.");
      }
      case "folder-cancel":
        if (!cancelFolderImport()) throw new ImportError("The import has already ended.");
        return done("The import will stop after the current files.");
      default:
        throw new Response(null, { status: 400, statusText: "Bad Request" });
    }
  } catch (error) {
    if (!(error instanceof ImportError || error instanceof UploadError)) throw error;
    return data<Answer>({ ...typed, message: error.message }, { status: 422 });
  }
}

export default function Import() {
  useLiveRefresh({ jobs: true });
  const { downloads, folder, terms } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const busy = useNavigation().formAction === "/admin/import";
  const { key } = useLocation();
  useFormErrorToast(answer);
  const errorOf = (intent: string) =>
    answer?.intent === intent && !answer.terms ? answer.message : undefined;
  const termsOf = (intent: string) => ({
    terms,
    ...(answer?.intent === intent && { accepted: answer.accepted, error: answer.terms }),
  });
  const tableOf = (intent: string) => (answer?.intent === intent ? answer.table : undefined);
  return (
    <AdminPage title="Import" isNarrow>
      {downloads.length > 0 && (
        <PageSection id="downloads" title="Imports from URLs">
          <DownloadList downloads={downloads} busy={busy} />
        </PageSection>
      )}
      <PageSection id="address" title="From a URL">
        <AddressForm
          key={key}
          failure={answer?.address}
          termsField={{ terms, accepted: answer?.address && answer.accepted }}
          busy={busy}
        />
        <TableForm
          key={`table ${key}`}
          error={errorOf("table")}
          table={tableOf("table") ?? ""}
          termsField={termsOf("table")}
          busy={busy}
        />
      </PageSection>
      {folder && (
        <PageSection id="folder" title="From a folder on the server">
          <FolderForm
            key={key}
            folder={folder}
            error={errorOf("folder")}
            table={tableOf("folder")}
            termsField={termsOf("folder")}
            busy={busy}
          />
        </PageSection>
      )}
      <PageSection id="export" title="Export">
        <p className="text-muted">
          Download the details of all videos as CSV or JSON. You can import the file into another
          site, together with the uploads folder.
        </p>
        <div className="flex flex-wrap gap-3">
          {["csv", "json"].map((format) => (
            <a
              key={format}
              href={`/admin/import/catalogue.${format}`}
              download
              className={buttonClass("secondary")}
            >
              {format.toUpperCase()}
            </a>
          ))}
        </div>
      </PageSection>
    </AdminPage>
  );
}
