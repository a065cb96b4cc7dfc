import { useMemo } from "react";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { useErrorToast } from "~/ui/feedback/use-error-toast";
import { useHydrated } from "~/ui/use-hydrated";
import { EditDialog, type EditSurroundings } from "./edit/edit-dialog";
import type { FormFailure } from "./rejected-form";

/**
 * What a form of the studio was answered, when nothing was done: a toast, in view wherever the list
 * is scrolled to, and besides the edit form again, or a notice for a page without scripts.
 */
export function ActionError({
  error,
  closeTo,
  edit,
}: {
  error: FormFailure | undefined;
  /** The address of the list alone. */
  closeTo: string;
  edit: EditSurroundings;
}) {
  const hydrated = useHydrated();
  useErrorToast(
    useMemo(() => error && { description: error.toast.description, detail: error.detail }, [error]),
  );
  if (!error) return null;
  if (!error.edit) {
    // The dialogs of a schedule, of a file and of a cut say themselves what is wrong.
    return hydrated || error.schedule || error.replace || error.trim ? null : (
      <FailureNotice toast={error.toast} detail={error.detail} />
    );
  }
  const { current, version } = error.edit;
  return (
    <EditDialog
      key={`${current.id} ${version}`}
      video={current}
      error={error}
      closeTo={closeTo}
      {...edit}
    />
  );
}
