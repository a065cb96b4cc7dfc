import { Form, useNavigate } from "@remix-run/react";
import { EyeOff } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { hideWatched, useHidesWatched } from "~/features/visitor/watched-videos";
import { type ListLocation, listPath } from "~/shared/addresses";
import { DEFAULT_ORDER, LENGTHS, LIST_ORDERS, parseListView } from "~/shared/list-view";
import { Button } from "~/ui/button";
import { classNames } from "~/ui/class-names";
import { useHydrated } from "~/ui/use-hydrated";

/**
 * Order and length of a list. A form that the browser can send by itself; with scripts a choice takes
 * effect at once, from the first page, and what is at its default is left out of the address. What was
 * watched only this browser knows, so that it is the page that leaves it out.
 */
export function ListChoices({ listLocation }: { listLocation: ListLocation }) {
  const { from, category, order = DEFAULT_ORDER, length = "" } = listLocation;
  const navigate = useNavigate();
  const hydrated = useHydrated();
  const hidesWatched = useHidesWatched();

  function show(form: HTMLFormElement) {
    const asked = new URLSearchParams();
    for (const [name, value] of new FormData(form)) asked.set(name, String(value));
    const to = listPath({ from, category, ...parseListView(asked) });
    navigate(to, { preventScrollReset: true });
  }

  return (
    <Form
      action={listPath({ from, category: from === "home" ? undefined : category })}
      aria-label="Order and length"
      onSubmit={(event) => {
        event.preventDefault();
        show(event.currentTarget);
      }}
      onChange={(event) => show(event.currentTarget)}
      className="mb-5 flex flex-wrap gap-2 print:hidden"
    >
      {from === "home" && category && <input type="hidden" name="category" value={category} />}
      <Choice name="sort" label="Sort by" value={order}>
        {LIST_ORDERS.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </Choice>
      <Choice name="length" label="Length" value={length}>
        <option value="">Any length</option>
        {LENGTHS.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </Choice>
      <button
        type="button"
        aria-pressed={hidesWatched}
        onClick={() => hideWatched(!hidesWatched)}
        className={classNames(
          "inline-flex min-h-11 items-center gap-2 rounded-md border px-3 py-1 text-sm transition-colors mouse:min-h-9",
          hidesWatched
            ? "border-accent bg-accent text-on-accent"
            : "border-line bg-surface text-muted hover:border-line-strong hover:text-ink",
          // Its space is there from the start.
          !hydrated && "invisible scriptless:hidden",
        )}
      >
        <EyeOff aria-hidden="true" className="size-4" />
        Not watched yet
      </button>
      <noscript>
        <Button variant="secondary" size="sm">
          Show
        </Button>
      </noscript>
    </Form>
  );
}

function Choice({
  name,
  label,
  value,
  children,
}: {
  name: string;
  label: string;
  value: string;
  children: ReactNode;
}) {
  const select = useRef<HTMLSelectElement>(null);
  // The address has changed without it: Back, a link.
  useEffect(() => {
    if (select.current) select.current.value = value;
  }, [value]);
  return (
    <select
      ref={select}
      name={name}
      aria-label={label}
      defaultValue={value}
      autoComplete="off"
      className="min-h-11 max-w-full rounded-md border border-line bg-surface px-3 text-sm text-ink transition-colors hover:border-line-strong mouse:min-h-9"
    >
      {children}
    </select>
  );
}
