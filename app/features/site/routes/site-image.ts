import type { LoaderFunctionArgs } from "@remix-run/node";
import { drawImage } from "~/media/images/process-image.server";
import icon from "~/ui/icon.svg?raw";

/** The site's own images by file name. All of them are rendered from the icon. */
const IMAGES: Record<string, { width: number; height: number; icon: number }> = {
  "favicon.ico": { width: 48, height: 48, icon: 48 },
  "apple-touch-icon.png": { width: 180, height: 180, icon: 180 },
  "icon-192.png": { width: 192, height: 192, icon: 192 },
  "icon-512.png": { width: 512, height: 512, icon: 512 },
  "share.png": { width: 1_200, height: 630, icon: 360 },
};
/** The icon's background color. */
const GROUND = /<rect[^>]*fill="([^"]+)"/.exec(icon)?.[1] ?? "black";

const rendered = new Map<string, Promise<Buffer>>();

function imageOf(name: string): Promise<Buffer> {
  const cached = rendered.get(name);
  if (cached) return cached;
  const { width, height, icon: size } = IMAGES[name]!;
  const svg = icon.replace("<svg ", `<svg width="${size}" height="${size}" `);
  const image = drawImage({ svg, width, height, background: GROUND });
  rendered.set(name, image);
  // If rendering fails, the next request tries again.
  image.catch(() => rendered.delete(name));
  return image;
}

export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const name = new URL(request.url).pathname.slice(1);
  if (!Object.hasOwn(IMAGES, name)) return new Response("Not Found", { status: 404 });
  return new Response(new Uint8Array(await imageOf(name)), {
    headers: { "Content-Type": "image/png", "Cache-Control": "public, max-age=86400" },
  });
}
