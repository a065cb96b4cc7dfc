import { useToast } from "~/ui/feedback/toast";
import { forgetVideos, saveVideo, useIsSaved } from "./saved-videos";

/** Whether a video is in the visitor's own list, and what puts it there or takes it out again. */
export function useSaveVideo(id: string) {
  const show = useToast();
  const isSaved = useIsSaved(id);

  function toggle() {
    if (isSaved) {
      forgetVideos([id]);
      return;
    }
    const isStored = saveVideo(id);
    show({
      kind: "success",
      title: "Saved",
      description: isStored
        ? "In this browser only, under Saved in the menu."
        : "Until this page is closed: your browser stores nothing for this site.",
    });
  }

  return { isSaved, toggle };
}
