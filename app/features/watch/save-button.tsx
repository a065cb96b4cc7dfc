import { Bookmark } from "lucide-react";
import { useSaveVideo } from "~/features/visitor/saved-videos";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { useHydrated } from "~/ui/use-hydrated";

/** Keeps a video in the visitor's own list, or takes it out again. */
export function SaveButton({ id }: { id: string }) {
  const hydrated = useHydrated();
  const { isSaved, toggle } = useSaveVideo(id);
  return (
    <Button
      type="button"
      variant="secondary"
      aria-pressed={isSaved}
      onClick={toggle}
      // As sharing does, it needs scripts; its space is reserved without them.
      className={hydrated ? undefined : "invisible scriptless:hidden"}
    >
      <Bookmark
        aria-hidden="true"
        className={classNames("size-4", isSaved && "text-accent")}
        fill={isSaved ? "currentColor" : "none"}
      />
      Save
    </Button>
  );
}
