import { Form, Link, useNavigation } from "@remix-run/react";
import { Button } from "~/ui/button";
import { TextAreaField } from "~/ui/forms/field";
import { Time } from "~/ui/time";
import { MOST_TERMS_LETTERS } from "./terms";
import type { TermsVersion } from "./terms.server";

/** Whether uploads have to accept the terms, with what owners can do about it. */
export function RequiredTerms({
  requiredSince,
  version,
  mayWrite,
}: {
  requiredSince: string | null;
  /** The newest; 0 without one. */
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
            Every upload has to accept version {version}. This is so since{" "}
            <Time value={requiredSince} />.
          </>
        ) : (
          "No upload is asked to accept them."
        )}
        {version === 0 && mayWrite && " Save a text first."}
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
          {isRequired ? "Ask for it no more" : "Have every upload accept them"}
        </Button>
      )}
    </Form>
  );
}

/** Writes the next version. */
export function TermsForm({
  text,
  version,
  error,
}: {
  /** What it begins with: the newest version, what was typed, or the default. */
  text: string;
  /** The newest; 0 without one. */
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
        maxLength={MOST_TERMS_LETTERS}
        defaultValue={text}
        error={error}
        hint={
          version === 0
            ? "A suggestion, and no legal advice: change it to what you ask of uploaders and what your law asks of you."
            : "A changed text is a new version, which every upload from then on has to accept. It is no legal advice."
        }
      />
      <Button busy={busy} busyLabel="Saving..." className="self-start">
        {`Save as version ${version + 1}`}
      </Button>
    </Form>
  );
}

/** All versions, with the one that is shown marked. */
export function TermsVersions({ versions, shown }: { versions: TermsVersion[]; shown: number }) {
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
