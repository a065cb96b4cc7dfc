/*
 * What the site answers with when it has no service worker (SERVICE_WORKER=off): one that takes the
 * place of an earlier one, deletes what that has stored, and unregisters itself.
 */
self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => {
  event.waitUntil(retire());
});

async function retire() {
  for (const name of await caches.keys()) await caches.delete(name);
  await self.registration.unregister();
}
