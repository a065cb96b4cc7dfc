import { Film } from "lucide-react";
import { EmptyState } from "~/ui/empty-state";
import { Pager } from "~/ui/pager";
import type { ManageData } from "./admin-page.server";
import { DeleteDialog } from "./delete-dialog";
import { DeletedBar } from "./deleted-bar";
import { EditDialog } from "./edit-dialog";
import { failure, GONE, type StudioFailure } from "./failure";
import { FailureNotice } from "./failure-notice";
import { manageHref } from "./manage-address";
import { Refusal } from "./refusal";
import { VideoList } from "./video-list";

/** The Manage Videos tab: the list, and the dialog that its address opens. */
export function ManageTab({
  manage: { view, list, deleted, dialog },
  refusal,
  now,
}: {
  manage: ManageData;
  refusal: StudioFailure | undefined;
  now: number;
}) {
  const here = manageHref(view);
  return (
    <div className="flex flex-col gap-5">
      {dialog && dialog.video === null && <FailureNotice toast={failure(404, GONE).toast} />}
      <Refusal refusal={refusal} closeTo={here} />
      {dialog?.video && dialog.kind === "edit" && !refusal?.edit && (
        <EditDialog key={dialog.video.id} video={dialog.video} closeTo={here} />
      )}
      {dialog?.video && dialog.kind === "delete" && (
        <DeleteDialog video={dialog.video} action={here} closeTo={here} />
      )}
      <DeletedBar deleted={deleted} action={here} now={now} />
      {list.total === 0 ? (
        <EmptyState icon={<Film />} title="No videos yet." />
      ) : (
        <>
          <VideoList videos={list.videos} view={view} now={now} />
          <Pager
            page={list.page}
            pageCount={list.pageCount}
            hrefFor={(page) => manageHref({ ...view, page })}
          />
        </>
      )}
    </div>
  );
}
