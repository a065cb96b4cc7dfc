import { useNavigate } from "@remix-run/react";
import { Shuffle } from "lucide-react";
import type { MouseEvent } from "react";
import { tabStorage } from "~/features/visitor/browser-storage";
import { videoPath } from "~/shared/addresses";
import { buttonClass } from "~/ui/button";
import { isForBrowser } from "~/ui/page-link";

/** The videos that the “Surprise me” link has already opened in this tab. */
interface Walk {
  seed: number;
  step: number;
  seen: string[];
}

function newWalk(): Walk {
  return { seed: Math.floor(Math.random() * 2 ** 31), step: 0, seen: [] };
}

function readWalk(): Walk {
  const { seed, step, seen } = (tabStorage.read("surprises") ?? {}) as Partial<Walk>;
  return typeof seed === "number" && typeof step === "number" && Array.isArray(seen)
    ? { seed, step, seen }
    : newWalk();
}

/**
 * Returns the id of a random video that hasn't been shown in this tab yet. Once all videos have been shown, a new
 * random walk starts. The server's random walk visits each video once. If a change to the catalogue makes it visit a
 * video again, that video is skipped.
 */
export async function nextSurprise(here: string): Promise<string | undefined> {
  let walk = readWalk();
  for (let tries = 0; tries < 20; tries++) {
    const response = await fetch(`/surprise?seed=${walk.seed}&step=${walk.step}`);
    if (!response.ok) return undefined;
    const { id, total } = (await response.json()) as { id: string; total: number };
    if (walk.step >= total) {
      walk = newWalk();
      continue;
    }
    walk.step += 1;
    const isNew = !walk.seen.includes(id) && (id !== here || total === 1);
    if (isNew) walk.seen.push(id);
    tabStorage.write("surprises", walk);
    if (isNew) return id;
  }
  return undefined;
}

/** A link to a random video. It also works without JavaScript, but then videos may repeat. */
export function SurpriseLink({
  here = "",
}: {
  /** The id of the video on the current page. */ here?: string;
}) {
  const navigate = useNavigate();

  async function open(event: MouseEvent<HTMLAnchorElement>) {
    if (isForBrowser(event)) return;
    event.preventDefault();
    const id = await nextSurprise(here).catch(() => undefined);
    if (id) navigate(videoPath(id, { from: "home" }), { state: { steps: 1 } });
    else window.location.assign("/surprise");
  }

  return (
    <a
      href="/surprise"
      rel="nofollow"
      onClick={open}
      className={`${buttonClass("secondary", "lg")} max-sm:grow sm:shrink-0`}
    >
      <Shuffle aria-hidden="true" className="size-5 text-accent" />
      Surprise me
    </a>
  );
}
