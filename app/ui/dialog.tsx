import { Link, useNavigate } from "@remix-run/react";
import { X } from "lucide-react";
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { classNames } from "./class-names";

/**
 * A dialog that is open while it is rendered.
 *
 * The server renders it open, in the flow of the page, so that it works without JavaScript: its close button is a link
 * to `closeTo`. With JavaScript, it becomes modal: focus starts at its first field and stays inside, Escape and the
 * backdrop close it, and focus returns to where it was.
 */
export function Dialog({
  title,
  description,
  closeTo,
  onClose,
  wide = false,
  children,
}: {
  title: string;
  description?: string;
  /** The URL of the page without the dialog. */
  closeTo?: string;
  /** Called instead of navigating if the dialog has no URL. */
  onClose?: () => void;
  wide?: boolean;
  children: ReactNode;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  const id = useId();

  // Open the dialog before the first paint, so that it receives every key press once it is visible.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    if (!dialog?.showModal) return;
    const restoreCursor = cursorOf(before);
    dialog.close();
    dialog.showModal();
    // Let the user continue typing in a field that was focused before hydration.
    if (before instanceof HTMLElement && dialog.contains(before)) {
      before.focus();
      restoreCursor();
    } else {
      startOf(dialog)?.focus();
    }
    return () => {
      dialog.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);

  function close() {
    if (onClose) onClose();
    else if (closeTo) navigate(closeTo, { preventScrollReset: true });
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the dialog's own `cancel` event
    <dialog
      ref={element}
      open
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : undefined}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClose={(event) => {
        // If Escape is pressed twice in a row, browsers close the dialog without a `cancel` event, so that pages can't
        // trap users. The warning about unsaved changes therefore has to be shown here too.
        if (event.target !== event.currentTarget || event.currentTarget.open) return;
        event.currentTarget.showModal();
        close();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
      className={classNames(
        "dialog w-[calc(100%-2rem)] overflow-y-auto overscroll-contain",
        "animate-rise rounded-lg border border-line bg-surface p-0 text-ink lifted",
        wide ? "max-w-2xl" : "max-w-md",
      )}
    >
      <div className="flex flex-col gap-5 p-5 sm:p-6">
        <div className="flex items-start gap-4">
          <div className="min-w-0 flex-1">
            <h2 id={`${id}-title`} tabIndex={-1} className="text-lg font-semibold outline-none">
              {title}
            </h2>
            {description && (
              <p id={`${id}-description`} dir="auto" className="mt-1 text-sm text-muted">
                {description}
              </p>
            )}
          </div>
          <CloseButton closeTo={closeTo} onClose={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  );
}

/**
 * Returns the element to focus when the dialog opens: its first field, or its heading if it has no fields. The heading
 * is focused instead of a button so that Enter neither confirms nor closes the dialog.
 */
function startOf(dialog: HTMLDialogElement): HTMLElement | null {
  return dialog.querySelector<HTMLElement>(FIELD) ?? dialog.querySelector("h2");
}

const FIELD =
  "input:not([type='hidden'], :disabled), select:not(:disabled), textarea:not(:disabled)";

function CloseButton({ closeTo, onClose }: { closeTo?: string; onClose?: () => void }) {
  const closeClass =
    "-m-2 grid size-[min(2.75rem,max(44px,12vw))] shrink-0 place-items-center rounded-md text-muted hover:bg-raised hover:text-ink";
  const icon = <X aria-hidden="true" className="size-5" />;
  if (closeTo && !onClose) {
    return (
      <Link to={closeTo} preventScrollReset aria-label="Close" className={closeClass}>
        {icon}
      </Link>
    );
  }
  return (
    <button type="button" aria-label="Close" onClick={onClose} className={closeClass}>
      {icon}
    </button>
  );
}

/**
 * Returns a function that restores the cursor position in a text field, because WebKit selects a field's text on focus.
 */
function cursorOf(element: Element | null): () => void {
  const isText = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  if (!isText || element.selectionStart === null) return () => {};
  const { selectionStart, selectionEnd } = element;
  return () => element.setSelectionRange(selectionStart, selectionEnd);
}
