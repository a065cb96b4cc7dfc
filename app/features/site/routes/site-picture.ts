import type { LoaderFunctionArgs } from "@remix-run/node";
import { drawImage } from "~/media/images/process-image.server";
import icon from "~/ui/icon.svg?raw";

/** The pictures of the site itself, by their addresses; all are drawn from the one icon. */
const PICTURES: Record<string, { width: number; height: number; icon: number }> = {
  "favicon.ico": { width: 48, height: 48, icon: 48 },
  "apple-touch-icon.png": { width: 180, height: 180, icon: 180 },
  "icon-192.png": { width: 192, height: 192, icon: 192 },
  "icon-512.png": { width: 512, height: 512, icon: 512 },
  "share.png": { width: 1_200, height: 630, icon: 360 },
};
/** The ground behind the mark, as the icon has it. */
const GROUND = /<rect[^>]*fill="([^"]+)"/.exec(icon)?.[1] ?? "black";

const drawn = new Map<string, Promise<Buffer>>();

function pictureOf(name: string): Promise<Buffer> {
  const known = drawn.get(name);
  if (known) return known;
  const { width, height, icon: size } = PICTURES[name]!;
  const svg = icon.replace("<svg ", `<svg width="${size}" height="${size}" `);
  const picture = drawImage({ svg, width, height, background: GROUND });
  drawn.set(name, picture);
  // Drawn again at the next request.
  picture.catch(() => drawn.delete(name));
  return picture;
}

export async function loader({ request }: LoaderFunctionArgs): Promise<Response> {
  const name = new URL(request.url).pathname.slice(1);
  if (!Object.hasOwn(PICTURES, name)) return new Response("Not Found", { status: 404 });
  return new Response(new Uint8Array(await pictureOf(name)), {
    headers: { "Content-Type": "image/png", "Cache-Control": "public, max-age=86400" },
  });
}
