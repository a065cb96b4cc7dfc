import { Share2 } from "lucide-react";
import { Button } from "../button";
import { useToast } from "../feedback/toast";
import { share } from "../share";
import { useHydrated } from "../use-hydrated";

/** Shares title and address through the device, else copies the address to the clipboard. */
export function ShareButton({ title, path }: { title: string; path: string }) {
  const show = useToast();
  const hydrated = useHydrated();

  async function press() {
    const url = new URL(path, window.location.href).href;
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
      // Sharing needs scripts. Without them the button is hidden and its space reserved.
      className={hydrated ? undefined : "invisible"}
    >
      <Share2 aria-hidden="true" className="size-4" />
      Share
    </Button>
  );
}
