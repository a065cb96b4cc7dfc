import { Link } from "@remix-run/react";
import { SELECTOR_CHOICES } from "~/catalogue/categories";
import { classNames } from "./class-names";

export type CategoryChoice = (typeof SELECTOR_CHOICES)[number]["id"];

/** The categories as links, so that each has an address and works without scripts. */
export function CategorySelector({
  selected,
  hrefFor,
}: {
  selected: CategoryChoice;
  hrefFor: (choice: CategoryChoice) => string;
}) {
  return (
    <nav aria-label="Video categories">
      <ul className="flex gap-2 max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-4 max-sm:py-1 max-sm:[scrollbar-width:none] sm:flex-wrap">
        {SELECTOR_CHOICES.map(({ id, label }) => (
          <li key={id} className="shrink-0">
            <Link
              to={hrefFor(id)}
              preventScrollReset
              aria-current={id === selected ? "page" : undefined}
              className={classNames(
                "inline-flex min-h-11 items-center rounded-full border px-4 text-sm font-medium transition-colors",
                id === selected
                  ? "border-accent bg-accent text-on-accent"
                  : "border-line bg-surface text-muted hover:border-line-strong hover:text-ink",
              )}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
