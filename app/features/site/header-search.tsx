import { Form, useLocation, useNavigate } from "@remix-run/react";
import { Hash, Play, Search, X } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { listPath, searchLocation } from "~/shared/addresses";
import type { CategoryId } from "~/shared/categories";
import { SEARCH_MAX_LENGTH } from "~/shared/search-text";
import type { Suggestion } from "~/shared/suggestion";
import { classNames } from "~/ui/class-names";
import { focusSearch, HEADER_SEARCH_ID, HOME_SEARCH_ID, useSearchKey } from "~/ui/use-search-key";
import "./header-search.css";

const LIST_ID = "search-suggestions";
const optionId = (index: number) => `${LIST_ID}-${index}`;

const ICON = "size-11 place-items-center rounded-md text-muted hover:text-ink";

/**
 * The search in the header. On Home, where the page contains a search field, it is a link to that field. Elsewhere, it
 * is a field in the header or, if the header is narrow, a popover that an icon opens even without JavaScript.
 */
export function HeaderSearch() {
  const { pathname, search, key } = useLocation();
  useSearchKey();
  if (pathname === "/") return <HomeSearchLink />;
  const initial = searchLocation(pathname, new URLSearchParams(search));
  return <SearchForm key={key} {...initial} />;
}

function HomeSearchLink() {
  return (
    <a
      href={`#${HOME_SEARCH_ID}`}
      aria-label="Search"
      className={classNames("ml-auto grid", ICON)}
      onClick={(event) => {
        event.preventDefault();
        focusSearch();
      }}
    >
      <Search aria-hidden="true" className="size-5" />
    </a>
  );
}

function SearchForm({ search = "", category }: ReturnType<typeof searchLocation>) {
  const panel = useRef<HTMLFormElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(search);
  /** Typing opens the list; Escape, selecting an entry or leaving the field closes it. */
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const suggestions = useSuggestions(isOpen ? text : undefined, category);
  const navigate = useNavigate();
  const isShown = isOpen && suggestions.length > 0;
  const chosen = isShown ? suggestions[active] : undefined;

  // Includes text that was typed before hydration.
  useEffect(() => setText(input.current?.value ?? ""), []);

  useEffect(() => {
    const element = panel.current;
    const onToggle = () => {
      if (element?.matches(":popover-open")) focusSearch();
    };
    element?.addEventListener("toggle", onToggle);
    return () => element?.removeEventListener("toggle", onToggle);
  }, []);

  function close() {
    setIsOpen(false);
    setActive(-1);
  }

  /** Closes the form before navigating. The next page has a new form, which is closed. */
  function leaveFor(href: string) {
    close();
    navigate(href);
  }

  function send(event: FormEvent) {
    event.preventDefault();
    leaveFor(listPath({ from: "home", search: text.trim(), category }));
  }

  /** Handles the keys of the combobox pattern (WAI-ARIA Authoring Practices); all other keys edit the text. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const last = suggestions.length - 1;
    if (event.key === "Enter" && chosen) leaveFor(chosen.href);
    else if (event.key === "Escape" && isShown) close();
    else if (event.key === "ArrowDown" && !isShown) setIsOpen(true);
    else if (event.key === "ArrowDown") setActive(active === last ? -1 : active + 1);
    else if (event.key === "ArrowUp" && isShown) setActive(active === -1 ? last : active - 1);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <button
        type="button"
        aria-label="Search"
        className={classNames("header-search-open ml-auto", ICON)}
        {...{ popovertarget: HEADER_SEARCH_ID }}
      >
        <Search aria-hidden="true" className="size-5" />
      </button>
      <Form
        ref={panel}
        id={HEADER_SEARCH_ID}
        role="search"
        // Some pages, such as the admin list, have a separate search field.
        aria-label="Site search"
        action="/"
        className="header-search"
        onSubmit={send}
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) close();
        }}
        {...{ popover: "auto" }}
      >
        <div className="relative flex min-w-0 flex-1">
          <Search
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 left-3.5 my-auto size-4 text-muted"
          />
          <input
            ref={input}
            type="search"
            name="search"
            dir="auto"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setActive(-1);
              setIsOpen(true);
            }}
            onKeyDown={onKeyDown}
            role="combobox"
            aria-label="Search videos"
            aria-autocomplete="list"
            aria-expanded={isShown}
            aria-controls={LIST_ID}
            aria-activedescendant={chosen && optionId(active)}
            maxLength={SEARCH_MAX_LENGTH}
            autoComplete="off"
            enterKeyHint="search"
            placeholder="Search videos"
            className="min-h-11 w-full min-w-0 rounded-md border border-line-strong bg-surface pr-3 pl-10 text-base text-ellipsis placeholder:text-muted hover:border-muted mouse:min-h-10 mouse:text-sm"
          />
          {/* The list is rendered even if it is empty, because aria-controls refers to it. */}
          <div
            role="listbox"
            id={LIST_ID}
            aria-label="Suggestions"
            hidden={!isShown}
            className="@container/suggestions absolute inset-x-0 top-full z-40 mt-2 max-h-[70dvh] overflow-y-auto rounded-lg border border-line bg-surface py-2 lifted"
          >
            {isShown &&
              suggestions.map((suggestion, index) => (
                <Option
                  key={suggestion.href}
                  id={optionId(index)}
                  suggestion={suggestion}
                  isActive={index === active}
                  onChoose={() => leaveFor(suggestion.href)}
                />
              ))}
          </div>
        </div>
        {category && <input type="hidden" name="category" value={category} />}
        <button
          type="button"
          aria-label="Close search"
          className={classNames("header-search-close", ICON)}
          {...{ popovertarget: HEADER_SEARCH_ID, popovertargetaction: "hide" }}
        >
          <X aria-hidden="true" className="size-5" />
        </button>
        <p role="status" className="sr-only">
          {isShown && `${suggestions.length} suggestion${suggestions.length === 1 ? "" : "s"}`}
        </p>
      </Form>
    </>
  );
}

function Option({
  id,
  suggestion: { kind, text },
  isActive,
  onChoose,
}: {
  id: string;
  suggestion: Suggestion;
  isActive: boolean;
  onChoose(): void;
}) {
  const Icon = kind === "tag" ? Hash : Play;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and the keys
    <div
      ref={element}
      role="option"
      id={id}
      aria-selected={isActive}
      // Keeps the focus in the field, so that the list isn't closed before the click.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={classNames(
        "flex min-h-11 cursor-pointer items-center gap-3 px-4 text-sm hover:bg-raised mouse:min-h-9",
        isActive && "bg-raised focused -outline-offset-2",
      )}
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {text}
      </span>
      {/* If large text doesn't leave enough room for the label, only the icon is shown. */}
      <span className="shrink-0 text-xs text-muted @max-[14rem]/suggestions:sr-only">
        {kind === "tag" ? "Tag" : "Video"}
      </span>
    </div>
  );
}

/** The delay after the last keystroke. Most keystrokes follow one another faster than this. */
const TYPING_PAUSE_MS = 150;
const NONE: readonly Suggestion[] = [];

/**
 * Returns the suggestions for the given text, or an empty list if the text is undefined or an error has occurred.
 * Responses that are outdated because of the next keystroke are discarded.
 */
function useSuggestions(
  text: string | undefined,
  category: CategoryId | undefined,
): readonly Suggestion[] {
  const [found, setFound] = useState(NONE);
  const query = text?.trim() ?? "";
  useEffect(() => {
    if (query === "") {
      setFound(NONE);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      const parameters = new URLSearchParams({ q: query, ...(category && { category }) });
      const { signal } = stop;
      const next = await fetch(`/search/suggestions?${parameters}`, { signal })
        .then(async (response) => (response.ok ? (await response.json()).suggestions : NONE))
        .catch(() => NONE);
      if (!signal.aborted) setFound(next);
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [query, category]);
  return query === "" ? NONE : found;
}
