import { useLocation, useNavigate } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import type { MouseEvent } from "react";
import { ButtonLink } from "~/ui/button";
import { isForBrowser } from "~/ui/page-link";

/** How many pages of the site lie between this one and the list that the visitor came from. */
export interface WayBack {
  steps: number;
}

/** The anchor of a card in its list, for the way back without scripts. */
export function cardAnchor(id: string): string {
  return `video-${id}`;
}

export function stepsBack(state: unknown): number {
  const steps = (state as Partial<WayBack> | null)?.steps;
  return typeof steps === "number" && steps > 0 ? steps : 0;
}

/**
 * Back to the list. Where the browser remembers the way it goes back in its history, which brings
 * the scroll position along; a link that was opened elsewhere, and a page without scripts, leads
 * to the same list at the card of this video.
 */
export function BackLink({
  id,
  list,
}: {
  id: string;
  /** The address of the list. */
  list: string;
}) {
  const steps = stepsBack(useLocation().state);
  const navigate = useNavigate();

  function goBack(event: MouseEvent<HTMLAnchorElement>) {
    if (!steps || isForBrowser(event)) return;
    event.preventDefault();
    navigate(-steps);
  }

  return (
    <ButtonLink
      to={`${list}#${cardAnchor(id)}`}
      onClick={goBack}
      variant="ghost"
      size="sm"
      className="watch-back -ml-3 mb-1 min-h-11 forced-colors:ml-0"
    >
      <ArrowLeft aria-hidden="true" className="size-4" />
      Back
    </ButtonLink>
  );
}
