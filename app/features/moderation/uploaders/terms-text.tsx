import { classNames } from "~/ui/class-names";

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
