import { Bookmark, Clock, Share2 } from "lucide-react";
import { useSaveVideo } from "~/features/visitor/saved-videos";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { useToast } from "~/ui/feedback/toast";
import { share } from "~/ui/share";
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

/**
 * Shares title and address through the device, else copies the address to the clipboard. With a
 * label in place of words it is the one that shares the present moment of the video.
 */
export function ShareButton({
  title,
  path,
  label,
  children,
}: {
  title: string;
  /** Asked at the press. */
  path: () => string;
  label?: string;
  children?: string;
}) {
  const show = useToast();
  const hydrated = useHydrated();
  const Icon = label ? Clock : Share2;

  async function press() {
    const url = new URL(path(), window.location.href).href;
    const done = await share(title, url);
    if (done === "copied") {
      show({ kind: "success", title: "Link copied", description: "It is in your clipboard." });
    }
    if (done === "failed") {
      show({ kind: "error", title: "Error", description: `The link could not be copied: ${url}` });
    }
  }

  return (
    <Button
      type="button"
      variant="secondary"
      onClick={press}
      aria-label={label}
      title={label}
      // Sharing needs scripts. Without them the button is hidden and its space reserved.
      className={hydrated ? undefined : "invisible scriptless:hidden"}
    >
      <Icon aria-hidden="true" className="size-4" />
      {children}
    </Button>
  );
}
