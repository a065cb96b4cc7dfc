import { adminScreens } from "./admin-screens";
import { playerScreens } from "./player-screens";
import type { SampleVideos, Screen } from "./screen";
import { visitorScreens } from "./visitor-screens";

/** Returns all of the site's screens in all states that look different. */
export function screensOf(videos: SampleVideos): Screen[] {
  return [...visitorScreens(videos), ...playerScreens(videos), ...adminScreens(videos)];
}
