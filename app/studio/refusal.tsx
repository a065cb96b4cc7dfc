import { EditDialog } from "./edit-dialog";
import type { StudioFailure } from "./failure";
import { FailureNotice } from "./failure-notice";

/** What a form of the studio was answered, when nothing was done: a notice, or the edit form again. */
export function Refusal({
  refusal,
  closeTo,
}: {
  refusal: StudioFailure | undefined;
  /** The address of the list alone. */
  closeTo: string;
}) {
  if (!refusal) return null;
  if (!refusal.edit) return <FailureNotice toast={refusal.toast} detail={refusal.detail} />;
  const { current, version } = refusal.edit;
  return (
    <EditDialog
      key={`${current.id} ${version}`}
      video={current}
      refusal={refusal}
      closeTo={closeTo}
    />
  );
}
