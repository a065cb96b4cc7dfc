import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { useId } from "react";
import { pageMeta } from "~/features/catalogue/page-meta";
import { miniPlayer } from "~/features/player/continued";
import { stableVolume } from "~/features/player/loudness";
import { clearBrowserStorage } from "~/features/visitor/browser-storage";
import { DISCREET_TITLE, discreetTitles, exitByShift } from "~/features/visitor/preferences";
import { useSavedCount } from "~/features/visitor/saved-videos";
import { clearWatchHistory, useFinished, useWatchHistory } from "~/features/visitor/watch-history";
import { siteIdentity } from "~/platform/site-origin.server";
import { formatQuantity } from "~/shared/format";
import { Button } from "~/ui/button";
import { useToast } from "~/ui/feedback/toast";
import { useHydrated } from "~/ui/use-hydrated";
import { StaticPage } from "../static-page";

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? pageMeta(data.site, {
        title: "Preferences",
        description: "Your settings for this browser, and the data that it stores.",
        path: "/preferences",
        noindex: true,
      })
    : [];

export function loader({ request }: LoaderFunctionArgs) {
  return { site: siteIdentity(request) };
}

/** The settings that are stored in this browser, each with an explanation. */
export default function Preferences() {
  const { site } = useLoaderData<typeof loader>();
  const hydrated = useHydrated();
  return (
    <StaticPage title="Preferences" lead="Stored only in this browser.">
      <noscript>
        <p>
          <strong>Preferences require JavaScript.</strong> They are stored in your browser.
        </p>
      </noscript>
      <h2>Privacy on this device</h2>
      <Setting
        setting={discreetTitles}
        label="Discreet page titles"
        hint={`Show “${DISCREET_TITLE}” as the title in tabs and browser history. Earlier history entries don’t change.`}
      />
      <Setting
        setting={exitByShift}
        label="Exit this page by pressing Shift three times"
        hint="Opens a blank page instantly and removes this page from your history. Earlier pages stay in your history. Exit in the menu does the same."
      />
      <h2>Playback</h2>
      <Setting
        setting={miniPlayer}
        label="Mini player"
        hint="Keeps the video playing in a corner while you browse. Off by default if your browser’s data saver is on."
      />
      <Setting
        setting={stableVolume}
        label="Stable volume"
        hint="Evens out the volume between videos."
      />
      <h2>Data in this browser</h2>
      {hydrated && <Remembered />}
      <p>
        Clearing {site.name}’s site data in your browser removes all of this, including these
        settings. See <Link to="/privacy">Privacy</Link> for what we know about visitors.
      </p>
    </StaticPage>
  );
}

function Setting({
  setting,
  label,
  hint,
}: {
  setting: typeof discreetTitles;
  label: string;
  hint: string;
}) {
  const hydrated = useHydrated();
  const checked = setting.use();
  const id = useId();
  return (
    <div className="flex gap-3 rounded-lg border border-line bg-surface p-4">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={!hydrated}
        aria-describedby={`${id}-hint`}
        onChange={() => setting.write(!checked)}
        className="mt-0.5 size-5 shrink-0"
      />
      <div className="min-w-0">
        {/* A touch target without extra space around it. */}
        <label htmlFor={id} className="-my-2.5 block py-2.5 font-semibold text-ink">
          {label}
        </label>
        <p id={`${id}-hint`} className="mt-1 text-sm">
          {hint}
        </p>
      </div>
    </div>
  );
}

const CLEAR_QUESTION =
  "Clear saved videos, watch history and preferences from this browser? You can't undo this.";

function Remembered() {
  const inProgress = useWatchHistory().length;
  const finished = useFinished().length;
  const saved = useSavedCount();
  const show = useToast();

  function clear() {
    if (!window.confirm(CLEAR_QUESTION)) return;
    clearBrowserStorage();
    show({ kind: "success", title: "All data cleared" });
  }

  return (
    <>
      <p role="status">
        {inProgress + finished === 0
          ? "No watch history."
          : `${formatQuantity(inProgress, "video")} in progress, ${finished || "none"} finished.`}
      </p>
      {inProgress + finished > 0 && (
        <Button type="button" variant="secondary" size="sm" onClick={clearWatchHistory}>
          Clear history
        </Button>
      )}
      <p>
        {saved === 0 ? "No saved videos. " : `${formatQuantity(saved, "video")} saved. `}
        Under <Link to="/saved">Saved Videos</Link>, you can export your saved videos, watch history
        and preferences to a file, and import such a file.
      </p>
      <Button type="button" variant="danger" size="sm" onClick={clear}>
        Clear all data
      </Button>
    </>
  );
}
