import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, Link, useLoaderData, useLocation, useNavigation } from "@remix-run/react";
import { FileText } from "lucide-react";
import { privateMeta } from "~/features/catalogue/page-meta";
import { assertAllowed, requirePermission } from "~/features/permissions/guard.server";
import { usePermissions } from "~/features/permissions/use-permissions";
import { AdminPage } from "~/features/site/admin-navigation";
import { unlessBusy } from "~/platform/busy.server";
import { type Failure, failure } from "~/platform/failure";
import { requireOwnOrigin } from "~/platform/origin.server";
import { readSmallForm } from "~/platform/small-form.server";
import { redirectWithToast } from "~/platform/toast.server";
import { Button } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { success } from "~/ui/feedback/toast-message";
import { TextAreaField } from "~/ui/forms/field";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { PageLink } from "~/ui/page-link";
import { PageSection } from "~/ui/page-section";
import { Time } from "~/ui/time";
import { SafetyLinks } from "../reports/safety-links";
import { DEFAULT_TERMS, MAX_TERMS_LENGTH } from "../uploaders/terms";
import {
  listTerms,
  readTerms,
  requireTerms,
  saveTerms,
  type TermsVersion,
  termsRequiredSince,
} from "../uploaders/terms.server";
import { TermsText } from "../uploaders/terms-field";

export const meta = privateMeta("Uploaders’ terms");

/** Large enough for the terms, even if each character takes up nine bytes in the encoded form. */
const MAX_FORM_BYTES = 256 * 1024;
const NOT_SAVED = "Couldn’t save the terms.";

interface Answer {
  error?: Failure;
  text?: string;
}

export async function loader({ request }: LoaderFunctionArgs) {
  await requirePermission(request, "/admin/terms");
  const version = new URL(request.url).searchParams.get("version");
  const newest = readTerms();
  const isChosen = version !== null;
  const shown = isChosen ? readTerms(/^\d{1,9}$/.test(version) ? Number(version) : 0) : newest;
  if (isChosen && !shown) throw new Response(null, { status: 404, statusText: "Not Found" });
  return { newest, shown, isChosen, versions: listTerms(), requiredSince: termsRequiredSince() };
}

export async function action({ request }: ActionFunctionArgs) {
  const user = await requirePermission(request, "/admin/terms");
  requireOwnOrigin(request);
  const form = await readSmallForm(request, MAX_FORM_BYTES);
  const text = (name: string) => String(form.get(name) ?? "");
  const intent = text("intent");
  if (intent !== "require" && intent !== "write") {
    throw new Response(null, { status: 400, statusText: "Bad Request" });
  }
  assertAllowed(user, "/admin/terms write");
  const done = (description: string) =>
    redirectWithToast("/admin/terms", success("Uploaders’ terms", description));
  if (intent === "require") {
    const isRequired = form.get("required") === "1";
    if (await unlessBusy(requireTerms(isRequired, user.id))) {
      throw done(
        isRequired
          ? "Uploaders now have to accept the terms."
          : "Acceptance is no longer required.",
      );
    }
    const error = failure(422, "Nothing was changed.", { detail: "Save the terms first." });
    return data<Answer>({ error }, { status: 422 });
  }
  const saved = await unlessBusy(saveTerms(text("text"), Number(text("version")) || 0, user.id));
  if ("version" in saved) {
    const { version, isNew } = saved;
    throw done(isNew ? `Version ${version} saved.` : `No changes since version ${version}.`);
  }
  const error = failure(saved.status, NOT_SAVED, { detail: saved.problem });
  return data<Answer>({ error, text: text("text") }, { status: saved.status });
}

export default function UploadTerms() {
  const { newest, shown, isChosen, versions, requiredSince } = useLoaderData<typeof loader>();
  const { error, text } = useFormResponse<Answer>() ?? {};
  const may = usePermissions();
  const mayWrite = may("/admin/terms write");
  const { key } = useLocation();
  const version = newest?.version ?? 0;
  return (
    <AdminPage
      title="Uploaders’ terms"
      lead="The terms that uploaders accept with each video."
      error={error}
      isNarrow
    >
      {may("/admin/reports") && <SafetyLinks />}
      <RequiredTerms {...{ requiredSince, version, mayWrite }} />
      {/* The form already contains the latest version. */}
      {shown && (isChosen || !mayWrite) && (
        <PageSection id="shown" title={`Version ${shown.version}`}>
          {shown.version !== version && (
            <p className="text-sm text-muted">
              This is an earlier version.{" "}
              <PageLink to="/admin/terms" className="text-accent underline underline-offset-4">
                {`View the latest version (${version})`}
              </PageLink>
            </p>
          )}
          <TermsText label={`Uploaders’ terms, version ${shown.version}`} text={shown.text} />
        </PageSection>
      )}
      {!shown && !mayWrite && <EmptyState icon={<FileText />} title="No terms yet." />}
      {mayWrite && (
        <PageSection id="write" title={version === 0 ? "Write the terms" : "Write a new version"}>
          <TermsForm
            key={`${version} ${key}`}
            text={text ?? newest?.text ?? DEFAULT_TERMS}
            version={version}
            error={error && text !== undefined ? error.detail : undefined}
          />
        </PageSection>
      )}
      {versions.length > 0 && shown && (
        <PageSection id="versions" title="All versions">
          <TermsVersions versions={versions} shown={shown.version} />
        </PageSection>
      )}
    </AdminPage>
  );
}

/** Shows whether uploaders must accept the terms. Owners can turn this requirement on and off. */
function RequiredTerms({
  requiredSince,
  version,
  mayWrite,
}: {
  requiredSince: string | null;
  /** The latest version; 0 if there is none. */
  version: number;
  mayWrite: boolean;
}) {
  const busy = useNavigation().formData?.has("required") ?? false;
  const isRequired = requiredSince !== null;
  return (
    <Form method="post" preventScrollReset className="flex flex-wrap items-center gap-4">
      <p role="status" className="min-w-0 grow basis-64 text-sm">
        {isRequired ? (
          <>
            Uploaders have to accept version {version}. Required since{" "}
            <Time value={requiredSince} />.
          </>
        ) : (
          "Uploaders don’t have to accept any terms."
        )}
        {version === 0 && mayWrite && " Save the terms first."}
      </p>
      <input type="hidden" name="intent" value="require" />
      {mayWrite && version > 0 && (
        <Button
          name="required"
          value={isRequired ? "0" : "1"}
          variant={isRequired ? "secondary" : "primary"}
          busy={busy}
          busyLabel="Saving..."
        >
          {isRequired ? "Stop requiring acceptance" : "Require acceptance"}
        </Button>
      )}
    </Form>
  );
}

function TermsForm({
  text,
  version,
  error,
}: {
  /** The initial text: the entered text, the latest version, or the default. */
  text: string;
  /** The latest version; 0 if there is none. */
  version: number;
  error?: string;
}) {
  const busy = useNavigation().formData?.has("text") ?? false;
  return (
    <Form method="post" preventScrollReset className="flex flex-col gap-4">
      <input type="hidden" name="intent" value="write" />
      <input type="hidden" name="version" value={version} />
      <TextAreaField
        label="Text"
        name="text"
        rows={18}
        required
        maxLength={MAX_TERMS_LENGTH}
        defaultValue={text}
        error={error}
        hint={
          version === 0
            ? "This is a template, not legal advice. Adapt it to your rules and to the law that applies to you."
            : "Saving changes creates a new version, which uploaders must accept for later uploads. The template is not legal advice."
        }
      />
      <Button busy={busy} busyLabel="Saving..." className="self-start">
        {`Save as version ${version + 1}`}
      </Button>
    </Form>
  );
}

function TermsVersions({ versions, shown }: { versions: TermsVersion[]; shown: number }) {
  return (
    <ul aria-label="Versions" className="flex flex-col text-sm">
      {versions.map(({ version, createdAt, by }) => (
        <li key={version} className="flex flex-wrap items-center gap-x-3 wrap-anywhere">
          <Link
            to={`/admin/terms?version=${version}`}
            preventScrollReset
            aria-current={version === shown ? "true" : undefined}
            className="inline-flex min-h-11 items-center underline underline-offset-4 aria-[current]:font-semibold"
          >
            {`Version ${version}`}
          </Link>
          <span className="text-muted figures">
            <Time value={createdAt} />
            {by && `, ${by}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
