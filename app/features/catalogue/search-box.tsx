import { Form, useNavigate } from "@remix-run/react";
import { Search } from "lucide-react";
import { type FormEvent, useEffect, useRef } from "react";
import { listPath } from "~/shared/addresses";
import type { CategoryId } from "~/shared/categories";
import { SEARCH_MAX_LENGTH } from "~/shared/search-text";
import { Button } from "~/ui/button";
import { HOME_SEARCH_ID } from "~/ui/use-search-key";

/** Long enough to wait for the next keystroke, but short enough to feel immediate. */
const TYPING_PAUSE_MS = 250;

/**
 * A GET form that, with JavaScript, also searches while the visitor is typing. The first keystroke adds a history entry
 * and the following ones replace it, so that the Back button leaves the search. The router drops responses that the
 * next keystroke has made obsolete.
 */
export function SearchBox({ search, category }: { search: string; category?: CategoryId }) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const typing = useRef(false);
  const lastSearch = useRef(search);
  const navigate = useNavigate();

  function goToResults(replace: boolean) {
    clearTimeout(timer.current);
    const text = input.current?.value.trim() ?? "";
    if (text === lastSearch.current) return;
    lastSearch.current = text;
    const to = listPath({ from: "home", search: text, category });
    navigate(to, { replace, preventScrollReset: true });
  }

  function searchSoon() {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      goToResults(typing.current);
      typing.current = true;
    }, TYPING_PAUSE_MS);
  }

  function searchNow(event: FormEvent) {
    event.preventDefault();
    goToResults(typing.current);
    typing.current = false;
  }

  // Text that was typed before hydration is used as well.
  useEffect(() => {
    if (input.current?.value.trim() !== lastSearch.current) searchSoon();
    return () => clearTimeout(timer.current);
  }, []);

  // The URL was changed by something else, such as the Back button, Clear Search or a link. Text that is being typed is
  // kept.
  useEffect(() => {
    if (search === lastSearch.current) return;
    lastSearch.current = search;
    typing.current = false;
    if (input.current) input.current.value = search;
  }, [search]);

  return (
    <Form
      role="search"
      method="get"
      action="/"
      onSubmit={searchNow}
      className="flex gap-2 sm:flex-1 sm:basis-64"
    >
      <div className="relative flex-1">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute inset-y-0 left-4 my-auto size-5 text-muted"
        />
        <input
          ref={input}
          id={HOME_SEARCH_ID}
          type="search"
          dir="auto"
          name="search"
          defaultValue={search}
          onInput={searchSoon}
          onBlur={() => {
            typing.current = false;
          }}
          maxLength={SEARCH_MAX_LENGTH}
          autoComplete="off"
          enterKeyHint="search"
          aria-label="Search videos"
          placeholder="Search videos by title or tags..."
          className="min-h-12 w-full rounded-md border border-line-strong bg-surface pr-4 pl-12 text-base text-ellipsis placeholder:text-muted hover:border-muted"
        />
      </div>
      {category && <input type="hidden" name="category" value={category} />}
      <Button variant="secondary" size="lg" className="max-sm:sr-only">
        Search
      </Button>
    </Form>
  );
}
