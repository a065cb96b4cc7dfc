/*
 * The site's service worker: an honest page when the site can't be reached, and nothing else. It stores
 * that page with its styles and typeface. No other page, no picture, no video and no address of what is
 * visited is ever stored, and an answer of the site always comes from the site.
 *
 * VERSION stands before this text (routes/service-worker.ts) and changes with each build, and so the
 * browser takes the new worker.
 */
const SHELL = `shell-${VERSION}`;
const OFFLINE_PAGE = "/offline";
/** Named by their content, so that a stored one is never an old one. */
const SHELL_FILE = /"(\/assets\/[^"]+\.(?:css|woff2|svg))"/g;

self.addEventListener("install", (event) => {
  event.waitUntil(storeShell().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(takeOver());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  // Forms, uploads, media with their ranges, event streams and data are the browser's own affair.
  if (request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(openPage(event));
  else if (isShellFile(request)) event.respondWith(fromShell(request));
});

async function storeShell() {
  // Without cookies: nobody's own page, but the one that is the same for everybody.
  const page = await fetch(OFFLINE_PAGE, { credentials: "omit", cache: "no-store" });
  if (!page.ok) throw new Error(`${OFFLINE_PAGE} answered ${page.status}`);
  const html = await page.clone().text();
  const files = new Set([...html.matchAll(SHELL_FILE)].map(([, path]) => path));
  const shell = await caches.open(SHELL);
  await shell.addAll([...files]);
  await shell.put(OFFLINE_PAGE, page);
}

async function takeOver() {
  for (const name of await caches.keys()) if (name !== SHELL) await caches.delete(name);
  // The browser asks for the page while the worker starts.
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
    // The stored body is unpacked.
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
