import type { ConsentState } from "~/features/consent/consent";
import type { JobSummary } from "~/features/processing/queue/kinds";
import { useHydrated } from "~/ui/use-hydrated";
import { BULK_FORM } from "../bulk/bulk-bar";
import type { SimilarVideo } from "../similar/similar-videos.server";
import { COLUMN_LABELS, COLUMNS, type Column } from "./columns";
import { KEYS } from "./list-keys";
import type { ManageView } from "./manage-address";
import type { ManagedVideo } from "./managed-video";
import { useListKeys } from "./use-list-keys";
import type { Selection } from "./use-selection";
import { VideoRow } from "./video-row";
import "./video-list.css";

/** Of numbers, which stand at the right. */
const FIGURES: readonly Column[] = ["duration", "views", "size"];

/** The list of the manage tab: a table on a wide screen, cards on a phone or in large letters, by its style sheet. */
export function VideoList({
  videos,
  jobs,
  similar,
  likeBlocked,
  held,
  consent,
  view,
  selection,
  now,
}: {
  videos: ManagedVideo[];
  jobs: Record<string, JobSummary>;
  similar: Record<string, SimilarVideo[]>;
  likeBlocked: readonly string[];
  /** Why nobody can publish a video, for those that are held. */
  held: Record<string, string>;
  /** How their records stand, where these are required. */
  consent: Record<string, ConsentState>;
  view: ManageView;
  selection: Selection;
  now: number;
}) {
  const hydrated = useHydrated();
  const columns = view.columns ?? COLUMNS;
  const keys = useListKeys(videos, view, selection);
  const whole = selection.ids.size === videos.length;
  return (
    <div className="video-list-frame flex flex-col gap-5">
      <table className="video-list" aria-label="Videos">
        <thead>
          <tr>
            <th scope="col" className="video-list-select">
              {hydrated ? (
                <label>
                  <input
                    type="checkbox"
                    aria-label="Select all videos of this page"
                    checked={whole}
                    ref={(box) => {
                      if (box) box.indeterminate = !whole && selection.ids.size > 0;
                    }}
                    onChange={selection.togglePage}
                  />
                  <span>Select all</span>
                </label>
              ) : (
                <span className="sr-only">Select</span>
              )}
            </th>
            <th scope="col">Video</th>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className={FIGURES.includes(column) ? "video-list-figures" : undefined}
              >
                {COLUMN_LABELS[column]}
              </th>
            ))}
            <th scope="col">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody onKeyDown={keys.onKeyDown}>
          {videos.map((video, index) => (
            <VideoRow
              key={video.id}
              video={video}
              jobs={jobs[video.id]}
              similar={similar[video.id]}
              isLikeBlocked={likeBlocked.includes(video.id)}
              held={held[video.id]}
              consent={consent[video.id]}
              view={view}
              now={now}
              form={BULK_FORM}
              selected={hydrated ? selection.ids.has(video.id) : undefined}
              onSelect={() => selection.toggle(video.id)}
              tabIndex={hydrated ? (index === keys.active ? 0 : -1) : undefined}
              onFocus={() => keys.setActive(index)}
            />
          ))}
        </tbody>
      </table>
      {hydrated && (
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted @max-[58rem]/videos:hidden">
          {KEYS.map(([key, does]) => (
            <span key={key}>
              <kbd className="rounded-sm border border-line px-1.5 py-0.5 font-sans">{key}</kbd>{" "}
              {does}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}
