import { Clapperboard } from "lucide-react";
import { type InputHTMLAttributes, useId } from "react";
import { buttonClass } from "~/ui/button";
import { classNames } from "~/ui/class-names";

/**
 * The file of the upload form as a large area to drop on. With scripts the browser's own control
 * lies over the whole of it; without, it stands in it, because it shows what was chosen.
 */
export function FileDropArea({
  label,
  hint,
  error,
  hydrated,
  isSmall,
  ...input
}: {
  label: string;
  hint: string;
  error?: string;
  hydrated: boolean;
  /** There are files already; this adds more. */
  isSmall: boolean;
} & Omit<InputHTMLAttributes<HTMLInputElement>, "type">) {
  const id = useId();
  const described = [error && `${id}-error`, `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div
      className={classNames(
        "relative flex flex-col items-center justify-center gap-2 rounded-lg border-2 border-dashed bg-surface p-5 text-center transition-colors",
        "hover:border-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-3 has-focus-visible:outline-accent",
        error ? "border-bad" : "border-line-strong",
        isSmall ? "min-h-24" : "min-h-56 lg:min-h-80",
      )}
    >
      {!isSmall && <Clapperboard aria-hidden="true" className="size-10 text-accent" />}
      <label htmlFor={id} className="font-semibold">
        {label}
        {input.required && (
          <span aria-hidden="true" className="text-accent">
            {" *"}
          </span>
        )}
      </label>
      <input
        {...input}
        id={id}
        type="file"
        aria-invalid={error ? true : undefined}
        aria-describedby={described}
        className={
          hydrated
            ? "absolute inset-0 cursor-pointer opacity-0"
            : "max-w-full text-sm text-muted file:mr-4 file:min-h-11 file:rounded-sm file:bg-raised file:px-3 file:font-medium file:text-ink"
        }
      />
      {hydrated && !isSmall && (
        <span aria-hidden="true" className={buttonClass("secondary")}>
          Choose Files
        </span>
      )}
      <p id={`${id}-hint`} className="text-sm text-muted">
        {hint}
      </p>
      {error && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
