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
  /** What to enter. */
  hint?: ReactNode;
  /** The reason the value was rejected, shown next to the field. */
  error?: string;
  /** Whether the label is only for screen readers, for fields whose purpose is visually clear from the context. */
  isLabelHidden?: boolean;
}

const CONTROL = classNames(
  "w-full min-h-11 rounded-md border bg-surface px-3.5 py-2 text-base text-ink",
  "placeholder:text-muted transition-colors hover:border-muted",
);

/** A field's label, control, hint and error, associated with each other for screen readers. */
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

/** A control's hint and error, whose ids are listed in the control's `aria-describedby`. */
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

/** Splits a field's props into those for its wrapper and those for its control, and connects the two through ids. */
function useControl<Props extends Words & { id?: string; required?: boolean; className?: string }>(
  { label, hint, error, isLabelHidden, ...control }: Props,
  ...classes: string[]
) {
  const own = useId();
  const { id = own, required, className } = control;
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return {
    frame: { id, label, hint, error, isLabelHidden, required },
    control: {
      ...control,
      id,
      "aria-invalid": error ? true : undefined,
      "aria-describedby": described || undefined,
      className: classNames(
        CONTROL,
        error ? "border-bad" : "border-line-strong",
        ...classes,
        className,
      ),
    },
  };
}

/** A text, password, number or email field. */
export function Field(props: Words & InputHTMLAttributes<HTMLInputElement>) {
  const { frame, control } = useControl(props);
  return (
    <Frame {...frame}>
      <input dir="auto" {...control} />
    </Frame>
  );
}

/** A multiline text field. */
export function TextAreaField(props: Words & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const { frame, control } = useControl(props, "resize-y");
  return (
    <Frame {...frame}>
      <textarea dir="auto" rows={4} {...control} />
    </Frame>
  );
}

/** A select with its options as children. */
export function SelectField(props: Words & SelectHTMLAttributes<HTMLSelectElement>) {
  const { frame, control } = useControl(props);
  return (
    <Frame {...frame}>
      <select {...control} />
    </Frame>
  );
}

/** A checkbox with its label next to it. */
export function CheckboxField({
  label,
  ...input
}: { label: ReactNode } & Omit<InputHTMLAttributes<HTMLInputElement>, "type" | "className">) {
  return (
    <label className="flex min-h-11 items-center gap-2 text-sm">
      <input type="checkbox" value="1" {...input} className="size-5 shrink-0" />
      {label}
    </label>
  );
}

/** A file input that uses the browser's native button. */
export function FileField(props: Words & Omit<InputHTMLAttributes<HTMLInputElement>, "type">) {
  const { frame, control } = useControl(
    props,
    "border-dashed py-3 text-sm text-muted file:mr-4 file:min-h-9 file:rounded-sm",
    "file:bg-raised file:px-3 file:text-sm file:font-medium file:text-ink",
  );
  return (
    <Frame {...frame}>
      <input {...control} type="file" />
    </Frame>
  );
}

/** The options of a select, created from their labels. */
export function Options({ labels }: { labels: Readonly<Record<string, string>> }) {
  return Object.entries(labels).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

/** A checkbox with its label next to it, as a field. */
export function CheckField({ children, ...input }: InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="flex min-h-11 items-center gap-3 text-sm mouse:min-h-9">
      <input type="checkbox" value="1" className="size-5 shrink-0 accent-accent" {...input} />
      {children}
    </label>
  );
}
