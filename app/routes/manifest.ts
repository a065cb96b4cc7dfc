import { settings } from "~/server/settings.server";
import icon from "~/ui/icon.svg?raw";

const GROUND = /<rect[^>]*fill="([^"]+)"/.exec(icon)?.[1] ?? "black";

/** https://www.w3.org/TR/appmanifest: what the site is called and looks like on a home screen. */
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
    start_url: "/",
    display: "standalone",
    background_color: GROUND,
    theme_color: GROUND,
    icons: [...icons, { ...icons[1], purpose: "maskable" }],
  };
  return Response.json(manifest, {
    headers: {
      "Content-Type": "application/manifest+json",
      "Cache-Control": "public, max-age=86400",
    },
  });
}
