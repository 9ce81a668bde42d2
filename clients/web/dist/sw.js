/** The page without a network: its own files, the newest that were seen. What is played is never kept here. */

const SHELF = "referee-page";
const FILES = [
  "./",
  "./assets/index.js",
  "./assets/index.css",
  "./assets/src.js",
  "./assets/chain.js",
  "./assets/course.js",
  "./assets/dist.js",
  "./assets/ed25519.js",
  "./icon.svg",
  "./manifest.json",
];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELF).then((shelf) => shelf.addAll(FILES)));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  const isOwn = origin === self.location.origin && event.request.method === "GET";
  if (!isOwn || pathname.includes("/api/")) {
    return;
  }
  event.respondWith(newest(event.request));
});

/** From the network, and kept; without one what was kept last. */
async function newest(request) {
  const shelf = await caches.open(SHELF);
  const key = request.mode === "navigate" ? "./" : request;
  try {
    const answer = await fetch(request);
    if (answer.ok) {
      await shelf.put(key, answer.clone());
    }
    return answer;
  } catch {
    return (await shelf.match(key)) ?? Response.error();
  }
}

/** A press on a notification of a turn leads back to the page. */
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const pages = self.clients.matchAll({ type: "window", includeUncontrolled: true });
  event.waitUntil(pages.then(([page]) => page?.focus() ?? self.clients.openWindow("./")));
});
