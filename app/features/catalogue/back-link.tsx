import { useLocation, useNavigate } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import type { MouseEvent } from "react";
import { ButtonLink } from "~/ui/button";
import { isForBrowser } from "~/ui/page-link";

/** The number of history entries between this page and the list that the visitor came from. */
export interface WayBack {
  steps: number;
}

/** Returns the anchor of a card in its list, which the Back link uses without JavaScript. */
export function cardAnchor(id: string): string {
  return `video-${id}`;
}

export function stepsBack(state: unknown): number {
  const steps = (state as Partial<WayBack> | null)?.steps;
  return typeof steps === "number" && steps > 0 ? steps : 0;
}

/**
 * A link back to the list. If the list is in the browser's history, it goes back there, which restores the scroll
 * position. Otherwise, and without JavaScript, it opens the same list at this video's card.
 */
export function BackLink({
  id,
  list,
}: {
  id: string;
  /** The URL of the list. */
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
