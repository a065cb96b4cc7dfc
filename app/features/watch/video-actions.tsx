import { Bookmark, Clock, Share2 } from "lucide-react";
import { useSaveVideo } from "~/features/visitor/saved-videos";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { useToast } from "~/ui/feedback/toast";
import { share } from "~/ui/share";
import { useHydrated } from "~/ui/use-hydrated";

/** Adds a video to the visitor's saved videos, or removes it. */
export function SaveButton({ id }: { id: string }) {
  const hydrated = useHydrated();
  const { isSaved, toggle } = useSaveVideo(id);
  return (
    <Button
      type="button"
      variant="secondary"
      aria-pressed={isSaved}
      onClick={toggle}
      // The button needs JavaScript. Until hydration, its space is reserved.
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
 * A button that shares the title and URL through the device's share dialog, or copies the URL to the clipboard. It is
 * an icon button if it has a label instead of text.
 */
export function ShareButton({
  title,
  path,
  label,
  children,
}: {
  title: string;
  /** Called when the button is pressed. */
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
      show({ kind: "success", title: "Link copied" });
    }
    if (done === "failed") {
      show({ kind: "error", title: "Error", description: `Couldn’t copy the link: ${url}` });
    }
  }

  return (
    <Button
      type="button"
      variant="secondary"
      onClick={press}
      aria-label={label}
      title={label}
      // The button needs JavaScript. Until hydration, its space is reserved.
      className={hydrated ? undefined : "invisible scriptless:hidden"}
    >
      <Icon aria-hidden="true" className="size-4" />
      {children}
    </Button>
  );
}
