import { adminScreens } from "./admin-screens";
import { playerScreens } from "./player-screens";
import type { SampleVideos, Screen } from "./screen";
import { visitorScreens } from "./visitor-screens";

/** Returns all screens of the site, in each state that looks different. */
export function screensOf(videos: SampleVideos): Screen[] {
  return [...visitorScreens(videos), ...playerScreens(videos), ...adminScreens(videos)];
}
