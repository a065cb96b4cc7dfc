import { Form, useNavigation } from "@remix-run/react";
import { Button, ButtonLink } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { FailureNotice } from "~/ui/feedback/failure-notice";
import { DateTimeField } from "~/ui/forms/date-time-field";
import type { FormFailure, ManagedVideo } from "./managed-video";

/**
 * The dialog that sets when a video is automatically published and hidden. A published video can only be scheduled to
 * be hidden.
 */
export function ScheduleDialog({
  video,
  list,
  address,
  error,
}: {
  video: ManagedVideo;
  /** The URL of the list without a dialog. */
  list: string;
  /** The URL of this dialog. */
  address: string;
  /** The reason why the schedule was rejected. */
  error: FormFailure | undefined;
}) {
  const busy = useNavigation().formData?.get("intent") === "schedule";
  const { publishAt, unpublishAt } = video.schedule;
  const typed = error?.schedule?.typed ?? {
    publishAt: publishAt ?? "",
    unpublishAt: unpublishAt ?? "",
  };
  const fields = error?.schedule?.fields ?? {};
  return (
    <Dialog title="Schedule video" description={video.title} closeTo={list}>
      {error && <FailureNotice toast={error.toast} detail={error.detail} />}
      <Form
        method="post"
        action={address}
        preventScrollReset
        noValidate
        className="flex flex-col gap-5"
      >
        <input type="hidden" name="intent" value="schedule" />
        <input type="hidden" name="id" value={video.id} />
        {video.status !== "published" && (
          <DateTimeField
            label="Publish at"
            name="publishAt"
            value={typed.publishAt}
            hint="The video will appear as new at this time. Leave blank to publish it manually."
            error={fields.publishAt}
          />
        )}
        <DateTimeField
          label="Hide at"
          name="unpublishAt"
          value={typed.unpublishAt}
          hint="Leave blank to keep it public."
          error={fields.unpublishAt}
        />
        <div className="flex flex-wrap justify-end gap-3">
          <ButtonLink to={list} preventScrollReset variant="ghost">
            Cancel
          </ButtonLink>
          <Button busy={busy} busyLabel="Saving...">
            Save schedule
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
