import { Form, useNavigation } from "@remix-run/react";
import { formatViews } from "~/shared/format";
import { Button, ButtonLink } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import type { EditableVideo } from "../list/managed-video";
import { formatStorage } from "../statistics/storage-text";

/** Asks before a video is deleted, and names what goes with it. */
export function DeleteDialog({
  video,
  action,
  closeTo,
}: {
  video: EditableVideo;
  /** Where the form is sent: the list as it will be shown afterwards. */
  action: string;
  closeTo: string;
}) {
  const deleting = useNavigation().formData?.get("intent") === "delete";
  return (
    <Dialog title="Delete this video?" description={video.title} closeTo={closeTo}>
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm text-muted">
        <li>The public site forgets it at once.</li>
        <li>
          Its file, its thumbnail and what was made from them go: {formatStorage(video.bytes)}.
        </li>
        <li>
          Its {formatViews(video.views)} {video.views === 1 ? "goes" : "go"} with it.
        </li>
        <li>For 10 minutes the deletion can be undone.</li>
      </ul>
      <Form
        method="post"
        action={action}
        preventScrollReset
        className="flex flex-wrap justify-end gap-3"
      >
        <input type="hidden" name="intent" value="delete" />
        <input type="hidden" name="id" value={video.id} />
        <ButtonLink to={closeTo} preventScrollReset variant="ghost">
          Cancel
        </ButtonLink>
        <Button variant="danger" busy={deleting} busyLabel="Deleting...">
          Delete
        </Button>
      </Form>
    </Dialog>
  );
}
