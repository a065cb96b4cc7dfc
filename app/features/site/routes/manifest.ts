import { settings } from "~/platform/settings.server";
import icon from "~/ui/icon.svg?raw";

const GROUND = /<rect[^>]*fill="([^"]+)"/.exec(icon)?.[1] ?? "black";

/**
 * Serves the web app manifest (https://www.w3.org/TR/appmanifest), which determines the name and icons on a home
 * screen.
 */
export function loader(): Response {
  const { siteName } = settings();
  const icons = [192, 512].map((size) => ({
    src: `/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: "image/png",
  }));
  const manifest = {
    name: siteName,
    short_name: siteName.slice(0, 12),
    id: "/",
    start_url: "/",
    scope: "/",
    display: "standalone",
    background_color: GROUND,
    theme_color: GROUND,
    // The logo is within the safe zone, which no mask cuts off: a circle with a diameter of 80% of the width.
    icons: [...icons, { ...icons[1], purpose: "maskable" }],
    shortcuts: [
      { name: "Trending", url: "/trending", icons: [icons[0]] },
      { name: "Saved Videos", short_name: "Saved", url: "/saved", icons: [icons[0]] },
    ],
  };
  return Response.json(manifest, {
    headers: {
      "Content-Type": "application/manifest+json",
      "Cache-Control": "public, max-age=86400",
    },
  });
}
