import { useNavigate, useViewTransitionState } from "@remix-run/react";
import type { AnchorHTMLAttributes, MouseEvent } from "react";

interface PageLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  /** An absolute path on this site, which may include a query and a fragment. */
  to: string;
  /** The state of the new history entry. */
  state?: unknown;
  preventScrollReset?: boolean;
  viewTransition?: boolean;
}

/**
 * A link to a page on this site, for pages that have many such links. The router's link resolves its URL against the
 * matched routes three times during rendering, which took more of the server's time than React itself when it rendered
 * a list. Absolute paths don't have to be resolved.
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

/**
 * Whether to leave a click to the browser, because it opens a tab or window, starts a download, or has already been
 * handled.
 */
export function isForBrowser(event: MouseEvent<HTMLAnchorElement>): boolean {
  const { defaultPrevented, button, metaKey, altKey, ctrlKey, shiftKey, currentTarget } = event;
  const otherWindow = currentTarget.target !== "" && currentTarget.target !== "_self";
  return (
    defaultPrevented || button !== 0 || metaKey || altKey || ctrlKey || shiftKey || otherWindow
  );
}

/** Whether a view transition to or from a URL is running; always false on the server. */
export const useIsTransitioning: (to: string) => boolean =
  typeof document === "undefined" ? () => false : useViewTransitionState;
