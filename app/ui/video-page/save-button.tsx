import { Bookmark } from "lucide-react";
import { Button } from "../button";
import { classNames } from "../class-names";
import { useToast } from "../feedback/toast";
import { forgetVideos, saveVideo, useSavedVideos } from "../lists/saved-videos";
import { useHydrated } from "../use-hydrated";

/** Keeps a video in the visitor's own list, or takes it out again. */
export function SaveButton({ id }: { id: string }) {
  const show = useToast();
  const hydrated = useHydrated();
  const isSaved = useSavedVideos().includes(id);

  function press() {
    if (isSaved) {
      forgetVideos([id]);
      return;
    }
    saveVideo(id);
    show({
      kind: "success",
      title: "Saved",
      description: "In this browser only, under Saved Videos at the foot of each page.",
    });
  }

  return (
    <Button
      type="button"
      variant="secondary"
      aria-pressed={isSaved}
      onClick={press}
      // As sharing does, it needs scripts; its space is reserved without them.
      className={hydrated ? undefined : "invisible"}
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
