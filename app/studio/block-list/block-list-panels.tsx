import { Form, Link } from "@remix-run/react";
import { Time } from "~/account/session-list";
import { Badge } from "~/ui/badge";
import { Button, buttonClass } from "~/ui/button";
import { FileField } from "~/ui/forms/field";
import { PageSection } from "../page-section";
import type { BlockListPage, ListedFilm } from "./block-list-page.server";

const REASONS: Record<ListedFilm["reason"], string> = {
  copyright: "Copyright",
  consent: "Shown without consent",
  "under-age": "Under age",
  private: "Private information",
  other: "Another reason",
};

const STATES: Record<Exclude<ListedFilm["state"], "ready">, string> = {
  waiting: "Frames are being taken",
  few: "A few frames alone",
  none: "The same file alone",
};

/** The films of a page of the list, each with what is known of it. */
export function BlockedFilms({ films, mayRemove }: { films: ListedFilm[]; mayRemove: boolean }) {
  return (
    <ul
      aria-label="Blocked films"
      className="ruled rounded-lg border border-line bg-surface text-sm"
    >
      {films.map((film) => (
        <li key={film.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 p-3 sm:px-4">
          <div className="flex min-w-0 grow basis-60 flex-col gap-1">
            <p className="flex flex-wrap items-center gap-2 font-medium">
              {REASONS[film.reason]}
              {film.state !== "ready" && <Badge>{STATES[film.state]}</Badge>}
            </p>
            <p className="text-muted figures">
              Film {film.id}, {film.isImported ? "imported, blocked" : "blocked here"}{" "}
              <Time value={film.blockedAt} />
            </p>
          </div>
          {mayRemove && (
            <Form method="post" encType="multipart/form-data" preventScrollReset>
              <input type="hidden" name="film" value={film.id} />
              <Button
                name="intent"
                value="remove"
                variant="ghost"
                size="sm"
                aria-label={`Remove film ${film.id} from the list`}
              >
                Remove
              </Button>
            </Form>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The videos of the site that match the list; nothing where none does. */
export function Matches({ matches }: Pick<BlockListPage, "matches">) {
  if (matches.length === 0) return null;
  return (
    <PageSection id="matches" title="On this site">
      <p className="text-sm text-muted">
        These videos match the list. Look at each: delete it, or say that it is another film.
      </p>
      <ul className="flex flex-col text-sm">
        {matches.map(({ id, title, isSame }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3">
            <Link
              to={`/admin/review/${encodeURIComponent(id)}`}
              className="min-w-0 py-2.5 text-accent underline underline-offset-4 wrap-anywhere"
            >
              <bdi>{title}</bdi>
            </Link>
            <span className="text-muted">{isSame ? "the same file" : "looks like it"}</span>
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

/** The videos that are held because they could not be compared; nothing where all could. */
export function Uncompared({ uncompared }: Pick<BlockListPage, "uncompared">) {
  if (uncompared.length === 0) return null;
  return (
    <PageSection id="uncompared" title="Could not be compared">
      <p className="text-sm text-muted">
        These videos are held: nothing compares them with the list any more. Have each compared
        again, or publish it after looking.
      </p>
      <ul className="flex flex-col gap-2 text-sm">
        {uncompared.map(({ id, title, why }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3">
            <Link
              to={`/admin/review/${encodeURIComponent(id)}`}
              className="min-w-0 py-2.5 text-accent underline underline-offset-4 wrap-anywhere"
            >
              <bdi>{title}</bdi>
            </Link>
            <span className="min-w-0 text-muted wrap-anywhere">{why}</span>
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

/** The list as a file, and the form for the list of another site. */
export function Exchange({ busy }: { busy: boolean }) {
  return (
    <PageSection id="exchange" title="Exchange with other sites">
      <p className="text-sm text-muted">
        The file has hashes, kinds of reasons and times. Nobody can make a picture or a name of it.
      </p>
      <p>
        <a href="/admin/block-list/block-list.jsonl" download className={buttonClass("secondary")}>
          Export the list
        </a>
      </p>
      <Form
        method="post"
        encType="multipart/form-data"
        className="flex flex-col gap-4"
        preventScrollReset
      >
        <FileField
          label="Block list of another site"
          hint="As this software exports it, 512 MB at most. Nothing is hidden by an import: videos of this site that match are named here."
          name="list"
          accept=".jsonl"
          required
        />
        <div>
          <Button name="intent" value="import" busy={busy} busyLabel="Importing...">
            Import a list
          </Button>
        </div>
      </Form>
    </PageSection>
  );
}
