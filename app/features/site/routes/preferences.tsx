import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { useId } from "react";
import { pageMeta } from "~/features/catalogue/page-meta";
import { miniPlayer } from "~/features/player/continued";
import { evenLoudness } from "~/features/player/sound";
import { clearBrowserStorage } from "~/features/visitor/browser-storage";
import { DISCREET_TITLE, discreetTitles, exitByShift } from "~/features/visitor/preferences";
import { useSavedCount } from "~/features/visitor/saved-videos";
import { forgetWatchHistory, useFinished, useWatchHistory } from "~/features/visitor/watch-history";
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
        description: "What this browser remembers for the site, and how discreet the site is.",
        path: "/preferences",
        noindex: true,
      })
    : [];

export function loader({ request }: LoaderFunctionArgs) {
  return { site: siteIdentity(request) };
}

/** The settings that this browser keeps, each with what it does and how to undo it. */
export default function Preferences() {
  const { site } = useLoaderData<typeof loader>();
  const hydrated = useHydrated();
  return (
    <StaticPage title="Preferences" lead="Kept in this browser, and nowhere else.">
      <noscript>
        <p>
          <strong>Preferences need scripts.</strong> They are kept by your browser, and only a
          script can ask it for them.
        </p>
      </noscript>
      <h2>Discretion</h2>
      <Setting
        setting={discreetTitles}
        label="Discreet page titles"
        hint={`Tabs and the history say “${DISCREET_TITLE}” instead of the title of the page. What is in the history already stays there.`}
      />
      <Setting
        setting={exitByShift}
        label="Exit this page by pressing Shift three times"
        hint="Leads to an empty page at once, and takes this page out of the history. The pages before it stay in the history. Exit in the menu does the same."
      />
      <h2>Playing</h2>
      <Setting
        setting={miniPlayer}
        label="Mini player"
        hint="A video that plays goes on in the corner of the next page. Unless you choose, it is off where your browser saves data."
      />
      <Setting
        setting={evenLoudness}
        label="Even loudness"
        hint="Loud videos are lowered and quiet ones raised, so that the next one neither startles nor is missed."
      />
      <h2>What this browser remembers</h2>
      {hydrated && <Remembered />}
      <p>
        Clearing the data of {site.name} in your browser also removes all of it. What we know about
        visitors is on the page <Link to="/privacy">Privacy</Link>.
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
        {/* As high as a finger, without more space around it. */}
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
  const begun = useWatchHistory().length;
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
        {begun + finished === 0
          ? "It remembers no video that you watched."
          : `It remembers where you left ${formatQuantity(begun, "video")}, and that you watched ${finished} to the end.`}
      </p>
      {begun + finished > 0 && (
        <Button type="button" variant="secondary" size="sm" onClick={forgetWatchHistory}>
          Forget all
        </Button>
      )}
      <p>
        {saved === 0 ? "No video is saved. " : `${formatQuantity(saved, "video")} saved. `}
        <Link to="/saved">Saved Videos</Link> can be exported to a file, and imported from one,
        together with your watch history and these preferences.
      </p>
      <Button type="button" variant="danger" size="sm" onClick={clear}>
        Clear all data
      </Button>
    </>
  );
}
