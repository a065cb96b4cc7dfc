import { useNavigate, useViewTransitionState } from "@remix-run/react";
import type { AnchorHTMLAttributes, MouseEvent } from "react";

interface PageLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  /** A path of this site from its root, with its query and fragment. */
  to: string;
  /** Travels with the new entry of the browser's history. */
  state?: unknown;
  preventScrollReset?: boolean;
  viewTransition?: boolean;
}

/**
 * A link to a page of this site, for what stands on a page many times. The router's own link resolves
 * its address against the matched routes three times while it is rendered; on a list, that took the
 * server longer than React did. An address from the root needs no resolving.
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
    // The address of the page that is shown makes no second entry in the history, as in any browser.
    const replace = new URL(to, window.location.href).href === window.location.href;
    navigate(to, { replace, state, preventScrollReset, viewTransition });
  }

  return (
    // By `data-discover` the framework finds the addresses whose routes it has yet to learn.
    <a {...rest} href={to} onClick={open} data-discover="true">
      {children}
    </a>
  );
}

/** A click that opens a tab, a window or a download, or that has been handled already. */
export function isForBrowser(event: MouseEvent<HTMLAnchorElement>): boolean {
  const { defaultPrevented, button, metaKey, altKey, ctrlKey, shiftKey, currentTarget } = event;
  const otherWindow = currentTarget.target !== "" && currentTarget.target !== "_self";
  return (
    defaultPrevented || button !== 0 || metaKey || altKey || ctrlKey || shiftKey || otherWindow
  );
}

/** Whether the page turns to or from an address just now. On the server it never does. */
export const useIsTransitioning: (to: string) => boolean =
  typeof document === "undefined" ? () => false : useViewTransitionState;
