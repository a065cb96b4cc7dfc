import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "~/ui/class-names";
import { PageLink } from "~/ui/page-link";

const CELL =
  "inline-grid min-h-11 min-w-9 place-items-center rounded-md px-1 figures transition-colors xs:min-w-11 xs:px-2";

/** Previous, page numbers, next, and `page X of Y`. Renders nothing if there is at most one page. */
export function Pager({
  page,
  pageCount,
  hrefFor,
}: {
  page: number;
  pageCount: number;
  /** Returns the URL of a page. The URL of page 1 shouldn't have a page parameter. */
  hrefFor: (page: number) => string;
}) {
  if (pageCount <= 1) return null;
  return (
    <nav aria-label="Pages" className="mt-10 flex flex-col items-center gap-3">
      <ul className="flex flex-wrap items-center justify-center xs:gap-1">
        <li>
          <Step
            to={page > 1 ? hrefFor(page - 1) : undefined}
            rel="prev"
            label="Previous"
            icon={<ChevronLeft aria-hidden="true" className="size-5" />}
          />
        </li>
        {pagerItems(page, pageCount).map((item) =>
          typeof item === "number" ? (
            <li key={item}>
              <PageLink
                to={hrefFor(item)}
                aria-label={`Page ${item}`}
                aria-current={item === page ? "page" : undefined}
                className={classNames(
                  CELL,
                  item === page
                    ? "bg-accent font-semibold text-on-accent"
                    : "text-muted hover:bg-raised hover:text-ink",
                )}
              >
                {item}
              </PageLink>
            </li>
          ) : (
            <li key={item} aria-hidden="true" className="w-4 text-center text-muted">
              …
            </li>
          ),
        )}
        <li>
          <Step
            to={page < pageCount ? hrefFor(page + 1) : undefined}
            rel="next"
            label="Next"
            icon={<ChevronRight aria-hidden="true" className="size-5" />}
          />
        </li>
      </ul>
      <p className="text-sm text-muted figures first-letter:uppercase">
        page {page} of {pageCount}
      </p>
    </nav>
  );
}

/**
 * A link to the previous or next page. On the first or last page, it is disabled rather than removed, to avoid a layout
 * shift.
 */
function Step({
  to,
  rel,
  label,
  icon,
}: {
  to: string | undefined;
  rel: "prev" | "next";
  label: string;
  icon: ReactNode;
}) {
  const content = (
    <span className="flex items-center gap-1">
      {rel === "prev" && icon}
      <span className="max-sm:sr-only">{label}</span>
      {rel === "next" && icon}
    </span>
  );
  if (!to) {
    return (
      <button type="button" disabled className={classNames(CELL, "text-muted opacity-45")}>
        {content}
      </button>
    );
  }
  return (
    <PageLink
      to={to}
      rel={rel}
      className={classNames(CELL, "text-muted hover:bg-raised hover:text-ink")}
    >
      {content}
    </PageLink>
  );
}

/** A page number, or a gap between two page numbers. */
export type PagerItem = number | "gap-before" | "gap-after";

/**
 * Returns the items of the pager: the current page, one neighbor on each side, the first and last page, and an ellipsis
 * wherever pages are skipped (specification, section 2, Pager).
 */
export function pagerItems(page: number, pageCount: number): PagerItem[] {
  const items: PagerItem[] = [];
  const first = Math.max(1, page - 1);
  const last = Math.min(pageCount, page + 1);
  if (first > 1) items.push(1);
  if (first > 2) items.push("gap-before");
  for (let number = first; number <= last; number += 1) items.push(number);
  if (last < pageCount - 1) items.push("gap-after");
  if (last < pageCount) items.push(pageCount);
  return items;
}
