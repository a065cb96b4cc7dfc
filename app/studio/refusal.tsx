import { useMemo } from "react";
import { useErrorToast } from "~/ui/feedback/use-error-toast";
import { useHydrated } from "~/ui/use-hydrated";
import { EditDialog, type EditSurroundings } from "./edit/edit-dialog";
import type { StudioFailure } from "./failure";
import { FailureNotice } from "./failure-notice";

/**
 * What a form of the studio was answered, when nothing was done: a toast, in view wherever the list
 * is scrolled to, and besides the edit form again, or a notice for a page without scripts.
 */
export function Refusal({
  refusal,
  closeTo,
  edit,
}: {
  refusal: StudioFailure | undefined;
  /** The address of the list alone. */
  closeTo: string;
  edit: EditSurroundings;
}) {
  const hydrated = useHydrated();
  useErrorToast(
    useMemo(
      () => refusal && { description: refusal.toast.description, detail: refusal.detail },
      [refusal],
    ),
  );
  if (!refusal) return null;
  if (!refusal.edit) {
    return hydrated ? null : <FailureNotice toast={refusal.toast} detail={refusal.detail} />;
  }
  const { current, version } = refusal.edit;
  return (
    <EditDialog
      key={`${current.id} ${version}`}
      video={current}
      refusal={refusal}
      closeTo={closeTo}
      {...edit}
    />
  );
}
