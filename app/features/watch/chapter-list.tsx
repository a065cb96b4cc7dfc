import { formatDuration } from "~/shared/format";
import type { Chapter } from "~/shared/timestamps";
import { MomentLink, type Moments } from "./moment-link";

/** The chapters of the video, each a link to where it begins. */
export function ChapterList({ chapters, moments }: { chapters: Chapter[]; moments: Moments }) {
  return (
    <nav aria-labelledby="chapters-heading" className="mt-6">
      <h2 id="chapters-heading" className="text-lg font-semibold">
        Chapters
      </h2>
      <ol className="mt-2 max-h-64 overflow-y-auto rounded-lg border border-line">
        {chapters.map(({ name, start }) => (
          <li key={start} className="not-first:border-t not-first:border-line">
            <MomentLink
              seconds={start}
              moments={moments}
              className="flex min-h-11 items-center gap-3 px-4 py-2 text-sm -outline-offset-2 hover:bg-raised mouse:min-h-9"
            >
              <span className="min-w-12 shrink-0 text-accent figures">{formatDuration(start)}</span>
              <span dir="auto" className="min-w-0">
                {name}
              </span>
            </MomentLink>
          </li>
        ))}
      </ol>
    </nav>
  );
}
