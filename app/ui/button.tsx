import { Link, type LinkProps } from "@remix-run/react";
import type { ButtonHTMLAttributes } from "react";
import { classNames } from "./class-names";

type Variant = "primary" | "secondary" | "ghost" | "danger";
type Size = "lg" | "md" | "sm";

const VARIANTS: Record<Variant, string> = {
  primary:
    "border border-transparent bg-accent text-on-accent hover:bg-accent-strong font-semibold",
  secondary: "bg-raised text-ink border border-line hover:border-line-strong font-medium",
  ghost: "border border-transparent text-muted hover:text-ink hover:bg-raised font-medium",
  danger: "border border-bad-deep text-bad hover:bg-bad-deep hover:text-ink font-medium",
};

const SIZES: Record<Size, string> = {
  lg: "min-h-12 rounded-md px-3 py-1.5 text-sm sm:px-4 lg:px-6 lg:text-base",
  md: "min-h-11 rounded-md px-5 py-1.5 text-base",
  sm: "min-h-11 rounded-md px-3 py-1 text-sm mouse:min-h-9",
};

/**
 * Returns a button's classes, for use on any element. Every button has a border, even if it is invisible. High contrast
 * mode removes backgrounds, so only the border shows where a button is.
 */
export function buttonClass(variant: Variant = "primary", size: Size = "md"): string {
  return classNames(
    "inline-flex items-center justify-center gap-2 text-center transition-colors select-none",
    "disabled:pointer-events-none disabled:opacity-60 aria-disabled:opacity-60",
    VARIANTS[variant],
    SIZES[size],
  );
}

interface ButtonStyle {
  variant?: Variant;
  size?: Size;
}

/** A button. While it is `busy`, it is disabled and shows its busy label, such as `Signing In...`. */
export function Button({
  variant,
  size,
  busy = false,
  busyLabel,
  className,
  disabled,
  children,
  type = "submit",
  ...rest
}: ButtonStyle & { busy?: boolean; busyLabel?: string } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={classNames(buttonClass(variant, size), className)}
    >
      {busy && busyLabel ? busyLabel : children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ variant, size, className, ...rest }: ButtonStyle & LinkProps) {
  return <Link {...rest} className={classNames(buttonClass(variant, size), className)} />;
}
