import { Form, useNavigation } from "@remix-run/react";
import { formatQuantity } from "~/shared/format";
import { Button, ButtonLink } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { formatStorage } from "../statistics/storage-text";
import { type BulkQuestion, nameTitles } from "./bulk";

/** Asks before many videos are deleted, and names what goes with them. */
export function BulkDeleteDialog({
  question: { ids, titles, bytes },
  list,
}: {
  question: BulkQuestion;
  /** The address of the list. */
  list: string;
}) {
  const deleting = useNavigation().formData?.has("confirmed");
  const videos = ids.length === 1 ? "this video" : formatQuantity(ids.length, "video");
  return (
    <Dialog title={`Delete ${videos}?`} description={nameTitles(titles, ids.length)} closeTo={list}>
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm text-muted">
        <li>The public site forgets them at once.</li>
        <li>Their files, thumbnails and what was made from them go: {formatStorage(bytes)}.</li>
        <li>For 10 minutes the deletion can be undone.</li>
      </ul>
      <Form
        method="post"
        action={list}
        preventScrollReset
        className="flex flex-wrap justify-end gap-3"
      >
        <input type="hidden" name="intent" value="bulk" />
        <input type="hidden" name="do" value="delete" />
        <input type="hidden" name="confirmed" value="1" />
        {ids.map((id) => (
          <input key={id} type="hidden" name="selected" value={id} />
        ))}
        <ButtonLink to={list} preventScrollReset variant="ghost">
          Cancel
        </ButtonLink>
        <Button variant="danger" busy={deleting} busyLabel="Deleting...">
          Delete
        </Button>
      </Form>
    </Dialog>
  );
}
