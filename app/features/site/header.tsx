import { Form, useLocation } from "@remix-run/react";
import { Bookmark, Flag, LogOut, Menu, Upload, X } from "lucide-react";
import type { ReactNode } from "react";
import { useSavedCount } from "~/features/visitor/saved-videos";
import { useAuth } from "~/ui/auth-context";
import { classNames } from "~/ui/class-names";
import { closeOnEscape } from "~/ui/close-on-escape";
import { PageLink } from "~/ui/page-link";
import { ExitLink } from "./exit-page";
import { HeaderSearch } from "./header-search";

const PAGES = [
  { to: "/", label: "Home" },
  { to: "/categories", label: "Categories" },
  { to: "/trending", label: "Trending" },
] as const;

/** The site's header. Signed-in users also see Upload or Reports, and Sign Out. */
export function Header({ siteName }: { siteName: string }) {
  return (
    <header className="shown-whole sticky top-0 z-30 low:relative border-b border-line bg-ground pt-[env(safe-area-inset-top)]">
      <div className="page @container/header flex h-16 items-center justify-between gap-4">
        <Brand siteName={siteName} />
        <HeaderSearch />
        <nav aria-label="Main" className="hidden items-center gap-1 bar:flex">
          <Links />
        </nav>
        <MobileMenu />
      </div>
    </header>
  );
}

/**
 * The menu is a `<details>` element, so that it opens without JavaScript. With JavaScript, it is closed after a
 * navigation.
 */
function MobileMenu() {
  const location = useLocation();
  return (
    // The element is given the size of its summary, because browsers show a wider default summary until the summary has
    // been received.
    <details
      key={location.key}
      onKeyDown={closeOnEscape}
      className="group -mr-2 size-11 shrink-0 bar:hidden"
    >
      <summary
        aria-label="Menu"
        className="grid size-11 list-none place-items-center rounded-md text-muted hover:text-ink"
      >
        <Menu aria-hidden="true" className="size-6 group-open:hidden" />
        <X aria-hidden="true" className="hidden size-6 group-open:block" />
      </summary>
      <nav
        aria-label="Main"
        className="absolute inset-x-0 top-full flex max-h-[calc(100dvh-4rem)] animate-fade-in flex-col gap-1 overflow-y-auto border-b border-line bg-surface p-3 pb-4 lifted"
      >
        <Links />
      </nav>
    </details>
  );
}

const LINK =
  "flex min-h-11 items-center gap-2 rounded-md px-4 text-base font-medium transition-colors bar:px-3 bar:text-sm";
/** A label next to an icon. It is shown if there is enough room. */
const LABEL = "bar-narrow:sr-only";

function linkClass(isActive: boolean): string {
  return classNames(LINK, isActive ? "bg-raised text-ink" : "text-muted hover:text-ink");
}

/**
 * A link that is marked as current on its page and on all pages below it. The link to Home is only marked on Home,
 * because every page is below Home.
 */
function NavItem({
  to,
  isActive,
  children,
}: {
  to: string;
  isActive?: boolean;
  children: ReactNode;
}) {
  const page = useLocation().pathname.toLowerCase();
  const isHere = isActive ?? (page === to || (to !== "/" && page.startsWith(`${to}/`)));
  return (
    <PageLink
      to={to}
      aria-current={isHere ? "page" : undefined}
      className={classNames(linkClass(isHere), "relative")}
    >
      {children}
    </PageLink>
  );
}

/**
 * A badge on the icon. It doesn't take up any space in the layout, because the count is known only after hydration and
 * must not cause a layout shift.
 */
function SavedCount() {
  const count = useSavedCount();
  if (count === 0) return null;
  return (
    <span className="absolute top-0.5 left-7.5 min-w-4 [translate:-50%] rounded-full bg-accent px-1 text-center text-xs font-semibold text-on-accent figures bar:left-6.5">
      {count}
      <span className="sr-only">{count === 1 ? " video" : " videos"}</span>
    </span>
  );
}

function Links() {
  const { user } = useAuth();
  const { pathname, search } = useLocation();
  // The panel's other tab and the other admin pages have the same path prefix.
  const isUpload = pathname === "/admin" && new URLSearchParams(search).get("tab") !== "manage";
  return (
    <>
      {PAGES.map(({ to, label }) => (
        <NavItem key={to} to={to}>
          {label}
        </NavItem>
      ))}
      <NavItem to="/saved">
        <Bookmark aria-hidden="true" className="size-4" />
        <span className={LABEL}>Saved</span>
        <SavedCount />
      </NavItem>
      {user && (
        <>
          {user.role === "moderator" ? (
            <NavItem to="/admin/reports">
              <Flag aria-hidden="true" className="size-4" />
              <span className={LABEL}>Reports</span>
            </NavItem>
          ) : (
            <NavItem to="/admin" isActive={isUpload}>
              <Upload aria-hidden="true" className="size-4" />
              <span className={LABEL}>Upload</span>
            </NavItem>
          )}
          <Form method="post" action="/sign-out" reloadDocument className="contents">
            <button type="submit" className={classNames(LINK, "text-muted hover:text-ink")}>
              <LogOut aria-hidden="true" className="size-4" />
              <span className={LABEL}>Sign Out</span>
            </button>
          </Form>
        </>
      )}
      <ExitLink className={linkClass(false)} />
    </>
  );
}

/** The logo and, if there is room, the site's name, as a link to Home. */
function Brand({ siteName }: { siteName: string }) {
  return (
    <PageLink
      to="/"
      aria-label={siteName}
      className="flex min-h-11 min-w-0 items-center gap-2.5 rounded-sm text-lg font-bold [letter-spacing:-0.025em]"
    >
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7 shrink-0 fill-accent">
        <path d="M20.6 4.7a12.3 12.3 0 1 0 0 22.6 10 10 0 1 1 0-22.6Z" />
        <path d="m17.6 10.6 9.4 5.4-9.4 5.4Z" />
      </svg>
      <span className="truncate @max-[14rem]/header:hidden">{siteName}</span>
    </PageLink>
  );
}
