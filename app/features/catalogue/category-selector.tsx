import { useEffect, useRef } from "react";
import { type SelectorChoice, selectorChoices } from "~/shared/categories";
import { classNames } from "~/ui/class-names";
import { PageLink } from "~/ui/page-link";

export type CategoryChoice = SelectorChoice;

/**
 * The categories as links, so that each has a URL and works without JavaScript. On a phone, they form a horizontally
 * scrolling row: the selected category is scrolled into view, and the edges fade out where the row continues.
 */
export function CategorySelector({
  selected,
  hrefFor,
}: {
  /** Undefined for a custom category stored by another tool. */
  selected: CategoryChoice | undefined;
  hrefFor: (choice: CategoryChoice) => string;
}) {
  const row = useRef<HTMLUListElement>(null);
  useCutEdges(row);
  useEffect(() => {
    const chip = row.current?.querySelector(`[data-choice="${selected}"]`);
    if (row.current && chip) center(chip, row.current);
  }, [selected]);

  return (
    <nav aria-label="Video categories">
      <ul ref={row} data-cut="end" className="category-row">
        {selectorChoices().map(({ id, label }) => (
          <li key={id} data-choice={id} className="shrink-0">
            <PageLink
              to={hrefFor(id)}
              preventScrollReset
              aria-current={id === selected ? "page" : undefined}
              className={classNames(
                "inline-flex min-h-11 items-center rounded-md border px-4 text-sm font-medium transition-colors",
                id === selected
                  ? "border-accent bg-accent text-on-accent"
                  : "border-line bg-surface text-muted hover:border-line-strong hover:text-ink",
              )}
            >
              {label}
            </PageLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Scrolls only the row; `scrollIntoView` would scroll the page as well. */
function center(chip: Element, row: Element): void {
  const [inner, outer] = [chip.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
}

/** Sets `data-cut` to the edges beyond which the row continues: "start", "end", both or none. */
function useCutEdges(row: { current: HTMLElement | null }): void {
  useEffect(() => {
    const element = row.current;
    if (!element) return;
    const update = () => {
      const hidden = element.scrollWidth - element.clientWidth - element.scrollLeft;
      const edges = [element.scrollLeft > 1 && "start", hidden > 1 && "end"];
      element.dataset.cut = classNames(...edges);
    };
    update();
    element.addEventListener("scroll", update, { passive: true });
    const resized = new ResizeObserver(update);
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", update);
      resized.disconnect();
    };
  }, [row]);
}
