import type { ManageView } from "./manage-address";
import type { ManagedVideo } from "./managed-video";
import { VideoRow } from "./video-row";
import "./video-list.css";

const HEADINGS = ["Video", "Status", "Category", "Duration", "Views", "Size", "Added"];

/**
 * The list of the manage tab. The roles stand there in words because the style sheet lays the rows
 * out as cards on a phone, and a table that is no longer displayed as one loses them.
 */
export function VideoList({
  videos,
  view,
  now,
}: {
  videos: ManagedVideo[];
  view: ManageView;
  now: number;
}) {
  return (
    <table className="video-list" aria-label="Videos">
      <thead>
        <tr>
          {HEADINGS.map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
          <th scope="col">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {videos.map((video) => (
          <VideoRow key={video.id} video={video} view={view} now={now} />
        ))}
      </tbody>
    </table>
  );
}
