import { useNavigate, useSearchParams } from "@remix-run/react";
import { useEffect } from "react";
import { Dialog } from "~/ui/dialog";

export const KEYS = [
  ["↑ ↓", "move"],
  ["Space", "select"],
  ["E", "edit"],
  ["H", "hide or show"],
  ["S", "schedule"],
  ["Delete", "delete"],
] as const;

/** Where a typed question mark is a letter, or a dialog has the keyboard. */
const TYPING = "input, select, textarea, [contenteditable], dialog";

/** The keys of the list, as a dialog with an address of its own; `?` opens it. */
export function ListKeys({ here }: { here: string }) {
  const navigate = useNavigate();
  const isOpen = useSearchParams()[0].has("keys");
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest(TYPING)) return;
      event.preventDefault();
      navigate(`${here}&keys=1`, { preventScrollReset: true });
    };
    window.addEventListener("keydown", open);
    return () => window.removeEventListener("keydown", open);
  }, [here, navigate]);
  if (!isOpen) return null;
  return (
    <Dialog title="Keys of the list" closeTo={here}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {[...KEYS, ["?", "show these keys"]].map(([key, what]) => (
          <div key={key} className="contents">
            <dt className="font-mono">{key}</dt>
            <dd className="text-muted">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
