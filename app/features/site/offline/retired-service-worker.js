/*
 * Served when the service worker is switched off (SERVICE_WORKER=off): replaces an installed one, deletes what it
 * has stored, and unregisters itself.
 */
self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => {
  event.waitUntil(retire());
});

async function retire() {
  for (const name of await caches.keys()) await caches.delete(name);
  await self.registration.unregister();
}
