/*
 * The site's service worker. It only shows an offline page when the site can't be reached, and stores that page
 * with its styles and font. No other page, image, video or visited URL is ever stored, and all other responses
 * come from the site.
 *
 * routes/service-worker.ts prepends VERSION, which changes with each build, so that browsers install the update.
 */
const SHELL = `shell-${VERSION}`;
const OFFLINE_PAGE = "/offline";
/** Files with a content hash in their name, so that a stored one is never outdated. */
const SHELL_FILE = /"(\/assets\/[^"]+\.(?:css|woff2|svg))"/g;

self.addEventListener("install", (event) => {
  event.waitUntil(storeShell().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(takeOver());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  // Leave forms, uploads, media range requests, event streams and data to the browser.
  if (request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(openPage(event));
  else if (isShellFile(request)) event.respondWith(fromShell(request));
});

async function storeShell() {
  // Without cookies, so that the page is the same for everyone.
  const page = await fetch(OFFLINE_PAGE, { credentials: "omit", cache: "no-store" });
  if (!page.ok) throw new Error(`${OFFLINE_PAGE} returned ${page.status}`);
  const html = await page.clone().text();
  const files = new Set([...html.matchAll(SHELL_FILE)].map(([, path]) => path));
  const shell = await caches.open(SHELL);
  await shell.addAll([...files]);
  await shell.put(OFFLINE_PAGE, page);
}

async function takeOver() {
  for (const name of await caches.keys()) if (name !== SHELL) await caches.delete(name);
  // Lets the browser request the page while the worker starts.
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

async function openPage(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const page = await caches.match(OFFLINE_PAGE, { cacheName: SHELL });
    if (!page) throw error;
    const headers = new Headers(page.headers);
    // The stored body is already decompressed.
    for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
    return new Response(page.body, { status: 503, statusText: "Service Unavailable", headers });
  }
}

function isShellFile({ url, destination }) {
  const isStyleOrFont = destination === "style" || destination === "font";
  return isStyleOrFont && new URL(url).pathname.startsWith("/assets/");
}

async function fromShell(request) {
  const stored = await caches.match(new URL(request.url).pathname, { cacheName: SHELL });
  return stored ?? fetch(request);
}
