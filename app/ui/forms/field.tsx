import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import { classNames } from "../class-names";

interface Words {
  label: string;
  /** What to type, said before it goes wrong. */
  hint?: ReactNode;
  /** What was wrong, said beside the field. */
  error?: string;
  /** The label is there for a screen reader alone: what stands around the control says it. */
  isLabelHidden?: boolean;
}

const CONTROL = classNames(
  "w-full min-h-11 rounded-md border bg-surface px-3.5 py-2 text-base text-ink",
  "placeholder:text-muted transition-colors hover:border-muted",
);

function controlClass(error: string | undefined): string {
  return classNames(CONTROL, error ? "border-bad" : "border-line-strong");
}

/** Label, control, hint and error, tied together for a screen reader. */
function Frame({
  id,
  label,
  hint,
  error,
  isLabelHidden,
  required,
  children,
}: Words & { id: string; required?: boolean; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className={isLabelHidden ? "sr-only" : "text-sm font-medium"}>
        {label}
        {required && (
          <span aria-hidden="true" className="text-accent">
            {" *"}
          </span>
        )}
      </label>
      {children}
      <FieldNotes {...{ id, hint, error }} />
    </div>
  );
}

/** The hint and the error of a control, under the ids that its `aria-describedby` names. */
export function FieldNotes({ id, hint, error }: Pick<Words, "hint" | "error"> & { id: string }) {
  return (
    <>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {error}
        </p>
      )}
    </>
  );
}

/** The attributes that tie a control to its words. */
function tied(id: string, { hint, error }: Pick<Words, "hint" | "error">) {
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return {
    id,
    "aria-invalid": error ? true : undefined,
    "aria-describedby": described || undefined,
  };
}

/** A line of text, a password, a number, an e-mail address. */
export function Field({
  label,
  hint,
  error,
  isLabelHidden,
  className,
  ...input
}: Words & InputHTMLAttributes<HTMLInputElement>) {
  const own = useId();
  const id = input.id ?? own;
  return (
    <Frame {...{ id, label, hint, error, isLabelHidden }} required={input.required}>
      <input
        dir="auto"
        {...input}
        {...tied(id, { hint, error })}
        className={classNames(controlClass(error), className)}
      />
    </Frame>
  );
}

/** Several lines of text. */
export function TextAreaField({
  label,
  hint,
  error,
  isLabelHidden,
  className,
  rows = 4,
  ...area
}: Words & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const own = useId();
  const id = area.id ?? own;
  return (
    <Frame {...{ id, label, hint, error, isLabelHidden }} required={area.required}>
      <textarea
        dir="auto"
        {...area}
        {...tied(id, { hint, error })}
        rows={rows}
        className={classNames(controlClass(error), "resize-y", className)}
      />
    </Frame>
  );
}

/** One of several choices; its options are the children. */
export function SelectField({
  label,
  hint,
  error,
  isLabelHidden,
  className,
  children,
  ...select
}: Words & SelectHTMLAttributes<HTMLSelectElement>) {
  const own = useId();
  const id = select.id ?? own;
  return (
    <Frame {...{ id, label, hint, error, isLabelHidden }} required={select.required}>
      <select
        {...select}
        {...tied(id, { hint, error })}
        className={classNames(controlClass(error), className)}
      >
        {children}
      </select>
    </Frame>
  );
}

/** A file, chosen with the browser's own button. */
export function FileField({
  label,
  hint,
  error,
  isLabelHidden,
  className,
  ...input
}: Words & Omit<InputHTMLAttributes<HTMLInputElement>, "type">) {
  const own = useId();
  const id = input.id ?? own;
  return (
    <Frame {...{ id, label, hint, error, isLabelHidden }} required={input.required}>
      <input
        {...input}
        {...tied(id, { hint, error })}
        type="file"
        className={classNames(
          controlClass(error),
          "border-dashed py-3 text-sm text-muted file:mr-4 file:min-h-9 file:rounded-sm",
          "file:bg-raised file:px-3 file:text-sm file:font-medium file:text-ink",
          className,
        )}
      />
    </Frame>
  );
}
