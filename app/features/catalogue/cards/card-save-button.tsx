import { Bookmark } from "lucide-react";
import { useSaveVideo } from "~/features/visitor/use-save-video";
import { useHydrated } from "~/ui/use-hydrated";

/**
 * Saves the video of a card: beside the card's link and not in it, for a link holds no button. It comes
 * with scripts, in a space that the card reserves.
 */
export function CardSaveButton({ id, title }: { id: string; title: string }) {
  const hydrated = useHydrated();
  const { isSaved, toggle } = useSaveVideo(id);
  if (!hydrated) return null;
  return (
    <button
      type="button"
      aria-pressed={isSaved}
      aria-label={`Save ${title}`}
      onClick={toggle}
      className="card-save"
    >
      <Bookmark aria-hidden="true" fill={isSaved ? "currentColor" : "none"} />
    </button>
  );
}
