import { Form, useNavigation, useSearchParams } from "@remix-run/react";
import { Film } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { Pager } from "~/features/catalogue/pager";
import type { Terms } from "~/features/moderation/uploaders/terms";
import { usePermissions } from "~/features/permissions/use-permissions";
import { failure, GONE } from "~/platform/failure";
import { formatQuantity } from "~/shared/format";
import { Button, ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { useErrorToast } from "~/ui/feedback/use-error-toast";
import { Field } from "~/ui/forms/field";
import { LocalTime } from "~/ui/time";
import { useHydrated } from "~/ui/use-hydrated";
import type { BulkPreview, DeleteConfirmation } from "../bulk/bulk";
import { BulkBar, BulkPreviewDialog } from "../bulk/bulk-bar";
import { type EditContext, EditDialog } from "../edit/edit-dialog";
import { ReplaceDialog } from "../files/replace-dialog";
import { TrimDialog } from "../files/trim-dialog";
import { FilterBar } from "../list/filter-bar";
import { isFiltered, type ManageView, manageHref, withoutFilters } from "../list/manage-address";
import { SavedViews, SaveView } from "../list/saved-views";
import { useSelection } from "../list/selection";
import { ListKeys, VideoList } from "../list/video-list";
import type { EditableVideo, FormFailure } from "../managed-video";
import { ScheduleDialog } from "../schedule-dialog";
import { BulkDeleteDialog, DeleteDialog, DeletedBar } from "../trash/delete-dialog";
import type { ManageData } from "./admin-page.server";

/** The Manage Videos tab: the list with its filters and bulk actions, and the dialog that the URL opens. */
export function ManageTab({
  manage: {
    view,
    list,
    jobs,
    similar,
    held,
    deletions,
    series,
    dialog,
    frames,
    files,
    trim,
    ...rest
  },
  error,
  confirmation,
  preview,
  now,
  terms,
  edit: surroundings,
}: {
  manage: ManageData;
  error: FormFailure | undefined;
  confirmation: DeleteConfirmation | undefined;
  preview: BulkPreview | undefined;
  now: number;
  /** The uploader terms, if they have to be accepted. */
  terms: Terms | undefined;
  edit: EditContext;
}) {
  const here = manageHref(view);
  const consent = dialog?.video ? rest.consent[dialog.video.id] : undefined;
  const edit = { ...surroundings, series, frames, accepted: rest.accepted, consent };
  const may = usePermissions();
  const edited = useEditedVideo(dialog);
  const selection = useSelection(list.videos);
  const about = dialog?.video && {
    video: dialog.video,
    list: here,
    address: manageHref(view, { [dialog.kind]: dialog.video.id }),
  };
  const { clear } = selection;
  const sending = useNavigation().formData?.get("intent") === "bulk";
  // Clears the selection when the list changes or an action has completed.
  useEffect(() => {
    if (!sending && !error && !confirmation && !preview) clear();
  }, [here, sending, error, confirmation, preview, clear]);
  return (
    <div className="flex flex-col gap-5">
      {dialog?.video === null && !edited && <FailureNotice toast={failure(404, GONE).toast} />}
      <ActionError error={error} closeTo={here} edit={edit} />
      {edited && !error?.edit && (
        <EditDialog
          key={edited.id}
          video={edited}
          isGone={dialog?.video === null}
          closeTo={here}
          {...edit}
        />
      )}
      {dialog?.kind === "delete" && about && <DeleteDialog {...about} />}
      {dialog?.kind === "schedule" && about && (
        <ScheduleDialog key={about.video.id} {...about} error={error?.schedule && error} />
      )}
      {about && files && trim && (
        <TrimDialog
          key={about.video.id}
          {...{ ...about, trim, files, now }}
          jobs={files.jobs}
          error={error?.trim && error}
        />
      )}
      {dialog?.kind === "replace" && about && files && (
        <ReplaceDialog
          key={`${about.video.id} ${error?.replace?.question?.upload}`}
          {...{ ...about, files, terms, now }}
          jobs={files.jobs}
          error={error?.replace && error}
          limits={edit.limits}
        />
      )}
      {confirmation && <BulkDeleteDialog confirmation={confirmation} list={here} />}
      {preview && <BulkPreviewDialog preview={preview} list={here} />}
      <FilterBar view={view} uploaders={rest.uploaders} />
      {rest.filesCheckedAt !== undefined && <MissingFilesNote at={rest.filesCheckedAt} />}
      <DeletedBar deletions={deletions} action={here} />
      <SavedViews views={rest.savedViews} here={manageHref({ ...view, page: 1 })} />
      {(list.total > 0 || isFiltered(view)) && (
        <div className="flex flex-wrap items-center justify-between gap-x-3">
          <p className="text-sm text-muted figures" hidden={list.total === 0}>
            {formatQuantity(list.total, "video")}
          </p>
          <div className="ml-auto flex flex-wrap items-center gap-x-1 has-[details[open]]:w-full">
            {may("/admin/queue") && (
              <ButtonLink to="/admin/queue" variant="ghost" size="sm">
                Processing
              </ButtonLink>
            )}
            <SaveView views={rest.savedViews} here={here} />
          </div>
        </div>
      )}
      {list.total > 0 ? (
        <>
          <VideoList
            videos={list.videos}
            jobs={jobs}
            similar={similar}
            resemblingBlocked={rest.resemblingBlocked}
            held={held}
            consent={rest.consent}
            view={view}
            selection={selection}
            now={now}
          />
          <BulkBar
            selection={selection}
            total={list.total}
            pageSize={list.videos.length}
            series={series.suggested}
            action={here}
          />
          <Pager
            page={list.page}
            pageCount={list.pageCount}
            hrefFor={(page) => manageHref({ ...view, page })}
          />
          <PageJump view={view} pageCount={list.pageCount} />
          <ListKeys here={here} />
        </>
      ) : rest.loadFailed ? null : !isFiltered(view) ? (
        <EmptyState
          icon={<Film />}
          title="No videos yet."
          action={<ButtonLink to="/admin">Upload your first video</ButtonLink>}
        />
      ) : (
        <EmptyState
          icon={<Film />}
          title="No videos found."
          action={<ButtonLink to={manageHref(withoutFilters(view))}>Show all videos</ButtonLink>}
        >
          No videos match the search and filters.
        </EmptyState>
      )}
    </div>
  );
}

/**
 * Returns the video for the edit dialog. An open dialog stays open even if a revalidation no longer returns its video,
 * because closing it would lose unsaved input.
 */
function useEditedVideo(dialog: ManageData["dialog"]): EditableVideo | undefined {
  const id = useSearchParams()[0].get("edit");
  const last = useRef<EditableVideo>();
  if (dialog?.kind === "edit" && dialog.video) last.current = dialog.video;
  if (last.current?.id !== id) last.current = undefined;
  return last.current;
}

/**
 * Shows why a form didn't change anything: in a toast, which is visible at any scroll position, and in the edit dialog
 * if its form was rejected. Without JavaScript, a notice is shown instead of the toast.
 */
export function ActionError({
  error,
  closeTo,
  edit,
}: {
  error: FormFailure | undefined;
  /** The URL of the list without a dialog. */
  closeTo: string;
  edit: EditContext;
}) {
  const hydrated = useHydrated();
  useErrorToast(
    useMemo(() => error && { description: error.toast.description, detail: error.detail }, [error]),
  );
  if (!error) return null;
  if (!error.edit) {
    // The schedule, replace and trim dialogs show errors themselves.
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

/**
 * The time of the last check for missing files.
 *
 * @param at the time of the check, ISO 8601 UTC; null if no check has been completed.
 */
function MissingFilesNote({ at }: { at: string | null }) {
  return (
    <p className="text-sm text-muted">
      {at === null ? (
        "The first file check isn’t complete yet. Some missing files may not be listed."
      ) : (
        <>
          Last checked for missing files: <LocalTime value={at} />. This check runs once a day.
        </>
      )}
    </p>
  );
}

/** If there are fewer pages than this, each of them can be reached with one or two clicks on the pager. */
const MIN_PAGES = 6;

/** A field for jumping to a page by its number, because the pager only links to neighboring pages and to both ends. */
export function PageJump({ view, pageCount }: { view: ManageView; pageCount: number }) {
  if (pageCount < MIN_PAGES) return null;
  const parameters = new URLSearchParams(manageHref({ ...view, page: 1 }).split("?")[1]);
  return (
    <Form action="/admin" className="flex items-end justify-center gap-2">
      {[...parameters].map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Field
        label="Go to page"
        name="page"
        type="number"
        min={1}
        max={pageCount}
        required
        className="max-w-28"
      />
      <Button variant="secondary">Go</Button>
    </Form>
  );
}
