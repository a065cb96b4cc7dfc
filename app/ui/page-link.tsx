import { useNavigate, useViewTransitionState } from "@remix-run/react";
import type { AnchorHTMLAttributes, MouseEvent } from "react";

interface PageLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  /** An absolute path on this site, with query and fragment. */
  to: string;
  /** State of the new history entry. */
  state?: unknown;
  preventScrollReset?: boolean;
  viewTransition?: boolean;
}

/**
 * A link to a page of this site, for links that a page has many of. The router's link resolves its URL against the
 * matched routes three times while rendering; on a list, that took the server longer than React did. An absolute path
 * needs no resolving.
 */
export function PageLink({
  to,
  state,
  preventScrollReset,
  viewTransition,
  onClick,
  children,
  ...rest
}: PageLinkProps) {
  const navigate = useNavigate();

  function open(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    if (isForBrowser(event)) return;
    event.preventDefault();
    // Like browsers, don't add a history entry for the current URL.
    const replace = new URL(to, window.location.href).href === window.location.href;
    navigate(to, { replace, state, preventScrollReset, viewTransition });
  }

  return (
    // The framework uses `data-discover` to find routes that it hasn't loaded.
    <a {...rest} href={to} onClick={open} data-discover="true">
      {children}
    </a>
  );
}

/** Whether a click is left to the browser: it opens a tab, window or download, or has been handled. */
export function isForBrowser(event: MouseEvent<HTMLAnchorElement>): boolean {
  const { defaultPrevented, button, metaKey, altKey, ctrlKey, shiftKey, currentTarget } = event;
  const otherWindow = currentTarget.target !== "" && currentTarget.target !== "_self";
  return (
    defaultPrevented || button !== 0 || metaKey || altKey || ctrlKey || shiftKey || otherWindow
  );
}

/** Whether a view transition to or from a URL is running; never on the server. */
export const useIsTransitioning: (to: string) => boolean =
  typeof document === "undefined" ? () => false : useViewTransitionState;
