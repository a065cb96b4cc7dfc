import type { ReactNode } from "react";
import { classNames } from "~/ui/class-names";
import { AnswerFailure } from "~/ui/feedback/failure-notice";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { AdminLinks } from "./admin-navigation";

/** A page of the studio: its heading, the links to the other pages, and why the last form was not done. */
export function AdminPage({
  title,
  above,
  lead,
  error,
  isNarrow = false,
  children,
}: {
  title: ReactNode;
  above?: ReactNode;
  lead?: ReactNode;
  error?: { toast: ToastMessage; detail?: string };
  isNarrow?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={classNames("flex flex-col gap-6", isNarrow && "mx-auto w-full max-w-3xl")}>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          {above}
          <h1 dir="auto" className="text-xl font-semibold wrap-anywhere">
            {title}
          </h1>
          {lead && <div className="text-sm text-muted wrap-anywhere">{lead}</div>}
        </div>
        <AdminLinks />
      </header>
      <AnswerFailure error={error} />
      {children}
    </div>
  );
}
