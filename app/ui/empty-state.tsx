import type { ReactNode } from "react";

/** Explains that something is empty and what to do next, and offers a button for that. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-4 px-4 py-16 text-center">
      {icon && (
        <div aria-hidden="true" className="rounded-full bg-surface p-4 text-muted [&_svg]:size-7">
          {icon}
        </div>
      )}
      <p className="text-lg font-semibold text-balance">{title}</p>
      {children && <div className="text-muted">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}
