import { adminScreens } from "./admin-screens";
import { playerScreens } from "./player-screens";
import type { Screen, ShownVideos } from "./screen";
import { visitorScreens } from "./visitor-screens";

/** Every screen of the site, on videos that are there, and its states that look different. */
export function screensOf(videos: ShownVideos): Screen[] {
  return [...visitorScreens(videos), ...playerScreens(videos), ...adminScreens(videos)];
}
