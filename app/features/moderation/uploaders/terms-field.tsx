import { Link } from "@remix-run/react";
import { useId } from "react";
import { classNames } from "~/ui/class-names";
import { FieldNotes } from "~/ui/forms/field";
import { PageLink } from "~/ui/page-link";
import { Time } from "~/ui/time";
import type { AcceptedTerms, Terms } from "./terms";

export interface AskedTerms {
  /** Undefined while none are asked for. */
  terms: Terms | undefined;
  /** The version that the form has accepted before, as it was sent. */
  accepted?: string;
  error?: string;
}

/** Has a form accept the uploaders' terms; nothing while none are asked for. A new version is not ticked yet. */
export function TermsField({ terms, ...more }: AskedTerms) {
  return terms ? <Acceptance key={terms.version} terms={terms} {...more} /> : null;
}

function Acceptance({ terms: { version, text }, accepted, error }: AskedTerms & { terms: Terms }) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      {/* What has changed is read before it is accepted. */}
      <details open={error !== undefined}>
        <summary className="inline-flex min-h-11 items-center text-sm text-muted underline underline-offset-4 hover:text-ink">
          {`Read the uploaders' terms, version ${version}`}
        </summary>
        <TermsText
          label={`Uploaders' terms, version ${version}`}
          text={text}
          className="max-h-80 overflow-y-auto"
        />
        <p className="pt-2 text-sm">
          <PageLink
            to="/admin/terms"
            target="_blank"
            className="inline-flex min-h-11 items-center underline underline-offset-4"
          >
            All versions, in a new tab
          </PageLink>
        </p>
      </details>
      <label className="flex min-h-11 items-center gap-3 text-sm">
        <input
          type="checkbox"
          name="terms"
          value={version}
          required
          defaultChecked={accepted === String(version)}
          aria-invalid={error ? true : undefined}
          aria-describedby={error && `${id}-error`}
          className="size-5 shrink-0"
        />
        <span>
          {`I accept the uploaders' terms, version ${version}.`}
          <span aria-hidden="true" className="text-accent">
            {"\u00a0*"}
          </span>
        </span>
      </label>
      <FieldNotes id={id} error={error} />
    </div>
  );
}

/** The newest of what a page was loaded with and what its forms were answered. */
export function newestTerms(...known: (Terms | undefined)[]): Terms | undefined {
  const there = known.filter((terms) => terms !== undefined);
  return there.sort((a, b) => b.version - a.version)[0];
}

/** The text of a version. It takes the focus, so that the keyboard scrolls it. */
export function TermsText({
  label,
  text,
  className,
}: {
  label: string;
  text: string;
  className?: string;
}) {
  return (
    // No landmark: a page may have several forms that show it.
    // biome-ignore lint/a11y/useSemanticElements: it groups no fields.
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard too.
      tabIndex={0}
      aria-label={label}
      dir="auto"
      className={classNames(
        "rounded-lg border border-line bg-surface p-4 text-sm wrap-anywhere whitespace-pre-line",
        className,
      )}
    >
      {text}
    </div>
  );
}

/** Which terms were accepted for a video; nothing where none were ever written. */
export function AcceptedLine({ accepted }: { accepted: AcceptedTerms[] | undefined }) {
  if (!accepted) return null;
  if (accepted.length === 0) {
    return (
      <p className="text-sm text-muted">
        No terms were accepted for it: it came when nobody asked for them, or another program
        entered it.
      </p>
    );
  }
  return (
    <ul aria-label="Accepted terms" className="text-sm text-muted wrap-anywhere figures">
      {accepted.map(({ version, subject, by, at }) => (
        <li key={at + subject}>
          <Link
            to={`/admin/terms?version=${version}`}
            className="inline-flex min-h-11 items-center underline underline-offset-4"
          >
            {`Uploaders' terms, version ${version}`}
          </Link>
          {subject === "file" ? ", for another file, accepted by " : ", accepted by "}
          {by ?? "a deleted account"}, <Time value={at} />
        </li>
      ))}
    </ul>
  );
}
