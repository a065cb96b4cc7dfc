import { Share2 } from "lucide-react";
import { Button } from "./button";
import { useToast } from "./toast";
import { useHydrated } from "./use-hydrated";

/** Shares title and address through the device, else copies the address to the clipboard. */
export function ShareButton({ title, path }: { title: string; path: string }) {
  const show = useToast();
  const hydrated = useHydrated();

  async function share() {
    const url = new URL(path, window.location.href).href;
    if (navigator.share) {
      try {
        await navigator.share({ title, url });
      } catch (error) {
        // Who closes the device's sheet has decided; anything else leaves the clipboard.
        if (!(error instanceof DOMException && error.name === "AbortError")) await copy(url);
      }
    } else {
      await copy(url);
    }
  }

  async function copy(url: string) {
    try {
      await navigator.clipboard.writeText(url);
      show({ kind: "success", title: "Link copied", description: "It is in your clipboard." });
    } catch {
      show({ kind: "error", title: "Error", description: `The link could not be copied: ${url}` });
    }
  }

  return (
    <Button
      type="button"
      variant="secondary"
      onClick={share}
      // Sharing needs scripts. Without them the button is not there, but its place is.
      className={hydrated ? undefined : "invisible"}
    >
      <Share2 aria-hidden="true" className="size-4" />
      Share
    </Button>
  );
}
