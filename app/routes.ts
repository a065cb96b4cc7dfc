import { index, type RouteConfig, route } from "@remix-run/route-config";

/** Every address of the site. Pages first, then what answers without a page. */
export default [
  index("routes/home.tsx"),
  route("categories/:category?", "routes/categories.tsx"),
  route("trending", "routes/trending.tsx"),
  route("tags/:tag", "routes/tag.tsx"),
  route("video/:id", "routes/video.tsx"),
  route("saved", "routes/saved.tsx"),

  route("auth", "routes/auth.tsx"),
  route("auth/code", "routes/auth-code.tsx"),
  route("admin", "routes/admin.tsx"),
  route("admin/account", "routes/account.tsx"),
  route("admin/queue", "routes/queue.tsx"),
  route("admin/tags", "routes/tags.tsx"),
  route("admin/trash", "routes/trash.tsx"),
  route("admin/statistics", "routes/statistics.tsx"),
  route("admin/activity", "routes/activity.tsx"),

  route("privacy", "routes/privacy.tsx"),
  route("dmca", "routes/dmca.tsx"),
  route("contact", "routes/contact.tsx"),
  route("preferences", "routes/preferences.tsx"),
  route("offline", "routes/offline.tsx"),
  route("*", "routes/not-found.tsx"),

  route("age", "routes/age.ts"),
  route("surprise", "routes/surprise.ts"),
  route("video/:id/view", "routes/video-view.ts"),
  route("search/suggestions", "routes/search-suggestions.ts"),
  route("video/:id/stream", "routes/video-stream.ts"),
  route("saved/videos", "routes/saved-videos.ts"),
  route("sign-out", "routes/sign-out.ts"),
  route("admin/uploads/:id?", "routes/uploads.ts"),
  route("admin/publish", "routes/publish.ts"),
  route("media/*", "routes/media.ts"),
  route("events", "routes/events.ts"),
  route("healthz", "routes/healthz.ts"),

  route("sitemap.xml", "routes/sitemap.ts"),
  route("sitemap/:part", "routes/sitemap.ts", { id: "sitemap-part" }),
  route("robots.txt", "routes/robots.ts"),
  route("feed.xml", "routes/feed.ts"),
  route("tags/:tag/feed.xml", "routes/tag-feed.ts"),
  route("manifest.webmanifest", "routes/manifest.ts"),
  route("sw.js", "routes/service-worker.ts"),
  ...["favicon.ico", "apple-touch-icon.png", "icon-192.png", "icon-512.png", "share.png"].map(
    (name) => route(name, "routes/site-picture.ts", { id: name }),
  ),
] satisfies RouteConfig;
