import type { ReactNode } from "react";

/** A table that may be wider than the screen and can be scrolled with the keyboard. */
export function ScrollableTable({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: otherwise only a pointer could scroll it.
      tabIndex={0}
      className="overflow-x-auto rounded-md border border-line"
    >
      {children}
    </section>
  );
}
