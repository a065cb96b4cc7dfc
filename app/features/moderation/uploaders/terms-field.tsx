import { Link } from "@remix-run/react";
import { useId } from "react";
import { classNames } from "~/ui/class-names";
import { FieldNotes } from "~/ui/forms/field";
import { PageLink } from "~/ui/page-link";
import { Time } from "~/ui/time";
import type { AcceptedTerms, Terms } from "./terms";

export interface TermsFieldState {
  /** Undefined if acceptance isn't required. */
  terms: Terms | undefined;
  /** The version that was accepted when the form was last submitted, exactly as it was sent. */
  accepted?: string;
  error?: string;
}

/**
 * A checkbox for accepting the uploaders' terms. Renders nothing if acceptance isn't required. If there is a new
 * version, the checkbox is unchecked again.
 */
export function TermsField({ terms, ...more }: TermsFieldState) {
  return terms ? <Acceptance key={terms.version} terms={terms} {...more} /> : null;
}

function Acceptance({
  terms: { version, text },
  accepted,
  error,
}: TermsFieldState & { terms: Terms }) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      {/* The terms are expanded after an error, because they may have changed. */}
      <details open={error !== undefined}>
        <summary className="inline-flex min-h-11 items-center text-sm text-muted underline underline-offset-4 hover:text-ink">
          {`Read the uploaders’ terms, version ${version}`}
        </summary>
        <TermsText
          label={`Uploaders’ terms, version ${version}`}
          text={text}
          className="max-h-80 overflow-y-auto"
        />
        <p className="pt-2 text-sm">
          <PageLink
            to="/admin/terms"
            target="_blank"
            className="inline-flex min-h-11 items-center underline underline-offset-4"
          >
            All versions (opens in a new tab)
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
          {`I accept the uploaders’ terms, version ${version}.`}
          <span aria-hidden="true" className="text-accent">
            {"\u00a0*"}
          </span>
        </span>
      </label>
      <FieldNotes id={id} error={error} />
    </div>
  );
}

/**
 * Returns the latest of several versions, such as the version that was loaded with the page and the versions in the
 * responses to its forms.
 */
export function latestTerms(...known: (Terms | undefined)[]): Terms | undefined {
  const there = known.filter((terms) => terms !== undefined);
  return there.sort((a, b) => b.version - a.version)[0];
}

/** A version's text. It is focusable, so that it can be scrolled with the keyboard. */
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
    // Not a landmark, because a page may show it in several forms.
    // biome-ignore lint/a11y/useSemanticElements: it doesn't group form fields.
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area has to be usable with the keyboard.
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

/** The terms that were accepted for a video. Renders nothing if the site has never had terms. */
export function AcceptedLine({ accepted }: { accepted: AcceptedTerms[] | undefined }) {
  if (!accepted) return null;
  if (accepted.length === 0) {
    return (
      <p className="text-sm text-muted">
        No accepted terms on record. This video was added before terms were required or by another
        tool.
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
            {`Uploaders’ terms, version ${version}`}
          </Link>
          {subject === "file" ? ", accepted for a replacement file by " : ", accepted by "}
          {by ?? "a deleted account"}, <Time value={at} />
        </li>
      ))}
    </ul>
  );
}
