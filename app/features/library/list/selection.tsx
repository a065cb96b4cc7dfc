import { Form } from "@remix-run/react";
import { type ReactNode, useCallback, useState } from "react";
import { classNames } from "~/ui/class-names";
import { useHydrated } from "~/ui/use-hydrated";

/** Lets users select entries in a list and act on the selected ones. */

export type Selection = ReturnType<typeof useSelection>;

/** Keeps track of the selected entries on a page. An entry that is no longer on the page is no longer selected. */
export function useSelection(entries: readonly { id: string }[]) {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  /** The selected entries that are on the page. */
  const ids: ReadonlySet<string> = new Set(
    entries.map(({ id }) => id).filter((id) => marked.has(id)),
  );
  const clear = useCallback(() => {
    setMarked(new Set());
    setAll(false);
  }, []);
  return {
    ids,
    /** Whether all entries on all pages of the list are selected. */
    all: all && ids.size > 0,
    toggle(id: string) {
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      setMarked(next);
      setAll(false);
    },
    /** Selects the whole page, or clears the selection if the whole page is already selected. */
    togglePage() {
      setMarked(ids.size === entries.length ? new Set() : new Set(entries.map(({ id }) => id)));
      setAll(false);
    },
    setAll,
    clear,
  };
}

/** The checkbox that selects an entry. It belongs to the selection form. */
export function SelectionBox({
  form,
  id,
  label,
  selection,
}: {
  form: string;
  id: string;
  label: string;
  selection: Selection;
}) {
  const hydrated = useHydrated();
  return (
    <label className="grid size-11 shrink-0 place-items-center">
      <input
        type="checkbox"
        form={form}
        name="selected"
        value={id}
        aria-label={`Select ${label}`}
        checked={hydrated ? selection.ids.has(id) : undefined}
        onChange={() => selection.toggle(id)}
        className="size-5 shrink-0"
      />
    </label>
  );
}

/**
 * The actions for the selected entries. With JavaScript, they stick to the bottom of the screen while something is
 * selected.
 */
export function SelectionForm({
  id,
  action,
  noun,
  selection,
  children,
}: {
  id: string;
  action: string;
  /** The plural noun for the entries. */
  noun: string;
  selection: Selection;
  children: ReactNode;
}) {
  const hydrated = useHydrated();
  const count = selection.ids.size;
  return (
    <Form
      id={id}
      method="post"
      action={action}
      preventScrollReset
      hidden={hydrated && count === 0}
      aria-label={`Selected ${noun}`}
      onSubmit={selection.clear}
      className={classNames(
        "flex flex-wrap items-end gap-3 rounded-lg border border-line-strong bg-raised px-3 py-2 lifted sm:px-4",
        hydrated && "bottom-3 z-10 [@media(height>=40rem)]:sticky",
      )}
    >
      <p role="status" className="mr-auto flex min-h-11 items-center font-semibold figures">
        {hydrated ? `${count} selected` : `Selected ${noun}`}
      </p>
      {children}
    </Form>
  );
}
