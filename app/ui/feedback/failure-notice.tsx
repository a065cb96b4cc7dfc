import { TriangleAlert } from "lucide-react";
import { useMemo } from "react";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { useErrorToast } from "~/ui/feedback/use-error-toast";
import { useHydrated } from "~/ui/use-hydrated";

/** A failure message that is part of the page, so that it works without JavaScript and inside a dialog. */
export function FailureNotice({ toast, detail }: { toast: ToastMessage; detail?: string }) {
  return (
    <div
      role="alert"
      className="flex items-start gap-3 rounded-lg border border-bad-deep bg-raised p-4 text-sm"
    >
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-bad" />
      <div className="min-w-0">
        <p className="font-semibold">{toast.title}</p>
        {toast.description && <p>{toast.description}</p>}
        {detail && <p className="mt-1 text-muted">{detail}</p>}
      </div>
    </div>
  );
}

/**
 * Shows that part of the page couldn't be loaded. The message is a toast, which is visible at any scroll position, or a
 * notice in the HTML without JavaScript. If a refresh fails in the same way, no second toast is shown.
 */
export function PageFailure({ toast }: { toast: ToastMessage }) {
  const hydrated = useHydrated();
  const { description, detail } = toast;
  useErrorToast(useMemo(() => ({ description, detail }), [description, detail]));
  return hydrated ? null : <FailureNotice toast={toast} detail={detail} />;
}

/** Shows why a form failed. The message is a toast, or a notice if there is no JavaScript. */
export function AnswerFailure({
  error,
}: {
  error: { toast: ToastMessage; detail?: string } | undefined;
}) {
  const hydrated = useHydrated();
  useErrorToast(
    useMemo(() => error && { description: error.toast.description, detail: error.detail }, [error]),
  );
  return error && !hydrated ? <FailureNotice toast={error.toast} detail={error.detail} /> : null;
}
