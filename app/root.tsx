import fontUrl from "@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2";
import {
  data,
  type LinksFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import {
  isRouteErrorResponse,
  Links,
  Outlet,
  useLoaderData,
  useMatches,
  useRouteLoaderData,
} from "@remix-run/react";
import type { ReactNode } from "react";
import { applyCategoryNames } from "~/features/catalogue/category-names.server";
import { DEFAULT_SITE_NAME, documentTitle } from "~/features/catalogue/page-meta";
import { useListModules } from "~/features/catalogue/use-list-modules";
import { countWaiting } from "~/features/moderation/reports/queue.server";
import { currentUser } from "~/features/permissions/guard.server";
import { allows } from "~/features/permissions/permissions";
import { MiniPlayerHost } from "~/features/player/continued";
import { usePreloadOnIntent } from "~/features/player/prefetch";
import { AgeGate, useAgeGate } from "~/features/site/age-gate";
import {
  FirstPaintScript,
  HeadTags,
  ScriptsAfterPaint,
  ScrollRestoration,
  useNonce,
} from "~/features/site/document-head";
import { ExitByShift } from "~/features/site/exit-page";
import { Footer } from "~/features/site/footer";
import { Header } from "~/features/site/header";
import { useServiceWorker } from "~/features/site/offline/use-service-worker";
import {
  SlowVideo,
  useSlowAdmin,
  useSlowVideo,
  useSlowVideoTimer,
  VideoSkeleton,
} from "~/features/watch/video-skeleton";
import { needsAgeConfirmation } from "~/platform/age.server";
import { studioVersion } from "~/platform/live/hub.server";
import { settings } from "~/platform/settings.server";
import { readToast } from "~/platform/toast.server";
import { nameCategories } from "~/shared/categories";
import { AuthProvider } from "~/ui/auth-context";
import { classNames } from "~/ui/class-names";
import { ErrorPage, useErrorReference } from "~/ui/feedback/error-page";
import { ProgressLine } from "~/ui/feedback/progress-line";
import { ToastProvider } from "~/ui/feedback/toast";
import iconUrl from "~/ui/icon.svg";
import { catalogueVersion } from "~db/changes.server";
import "~/ui/site.css";

export const links: LinksFunction = () => [
  { rel: "preload", href: fontUrl, as: "font", type: "font/woff2", crossOrigin: "anonymous" },
  { rel: "icon", href: iconUrl, type: "image/svg+xml" },
  { rel: "apple-touch-icon", href: "/apple-touch-icon.png" },
  { rel: "manifest", href: "/manifest.webmanifest" },
  { rel: "alternate", href: "/feed.xml", type: "application/rss+xml", title: "Newest videos" },
];

/** The title of error pages. All other pages set a title themselves. */
export const meta: MetaFunction<typeof loader> = ({ data, error }) => {
  const missing = isRouteErrorResponse(error) && error.status === 404;
  const title = missing ? "Page not found" : error ? "Something went wrong" : undefined;
  const siteName = data?.siteName ?? DEFAULT_SITE_NAME;
  return [
    { title: title ? documentTitle(title, siteName) : siteName },
    ...(error ? [{ name: "robots", content: "noindex" }] : []),
  ];
};

export async function loader({ request }: LoaderFunctionArgs) {
  // Read this before anything else, so that changes made in the meantime count as newer than this page.
  const version = catalogueVersion();
  const studio = studioVersion(version);
  const { toast, headers } = await readToast(request);
  const user = await currentUser(request);
  const signedIn = user !== undefined;
  return data(
    {
      siteName: settings().siteName,
      ...(user && { user: { role: user.role, mayPublish: user.mayPublish } }),
      ...(user && allows(user, "/admin/reports") && { reports: countWaiting() }),
      toast,
      // Don't register the service worker in development, because hundreds of modules change while it is active.
      hasServiceWorker: settings().serviceWorker && settings().environment !== "development",
      // Applies to every page that isn't exempt from the age gate; see `useAgeGate`.
      asksForAge: !signedIn && needsAgeConfirmation(request),
      ...(settings().recordsCustodian && { hasRecords: true }),
      catalogueVersion: version.catalogue,
      ...(signedIn && { studioVersion: studio }),
      categories: applyCategoryNames(),
      now: Date.now(),
    },
    { headers },
  );
}

/** The frame of every page. Error pages may lack the loader's data. */
export function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce();
  const errorReference = useErrorReference();
  const page = useRouteLoaderData<typeof loader>("root");
  // Set the labels before anything below is rendered. On the server, the loader has already set them.
  if (page) nameCategories(page.categories);
  const matches = useMatches();
  const isStatic = matches.some(
    ({ handle }) => (handle as { withoutScripts?: boolean } | undefined)?.withoutScripts,
  );
  const isSlowVideo = useSlowVideoTimer();
  const isVideo = matches.some(({ id }) => id === "features/watch/routes/video");
  const kind = isSlowVideo ? "skeleton" : isVideo ? "video" : "page";
  const siteName = page?.siteName ?? DEFAULT_SITE_NAME;
  const hasAgeGate = useAgeGate();
  return (
    <html lang="en" data-error-reference={errorReference || undefined}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="dark" />
        <meta name="rating" content="RTA-5042-1996-1400-1577-RTA" />
        <HeadTags />
        <Links />
        <FirstPaintScript nonce={nonce} />
      </head>
      <body>
        <AuthProvider user={page?.user}>
          <ProgressLine />
          <ToastProvider fromServer={page?.toast}>
            <ExitByShift />
            {hasAgeGate && <AgeGate siteName={siteName} />}
            {/* On a phone, the player is above the header. The key remounts the frame, so that nothing jumps. */}
            <div
              key={kind}
              className={classNames("min-h-dvh flex-col", hasAgeGate ? "hidden" : "flex")}
            >
              <a
                href="#main"
                className="sr-only z-50 rounded-md bg-accent px-4 py-2 font-semibold text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
              >
                Skip to content
              </a>
              <Header siteName={siteName} />
              <main id="main" tabIndex={-1} className="page flex-1 py-6 outline-none md:py-8">
                <SlowVideo.Provider value={isSlowVideo}>{children}</SlowVideo.Provider>
              </main>
              <Footer
                siteName={siteName}
                year={new Date(page?.now ?? Date.now()).getUTCFullYear()}
                hasRecords={page?.hasRecords ?? false}
              />
            </div>
            <MiniPlayerHost allowed={Boolean(page && !hasAgeGate)} />
          </ToastProvider>
        </AuthProvider>
        {!isStatic && (
          <>
            <ScrollRestoration nonce={nonce} />
            <ScriptsAfterPaint nonce={nonce} />
          </>
        )}
      </body>
    </html>
  );
}

export default function App() {
  const { hasServiceWorker } = useLoaderData<typeof loader>();
  const hasAgeGate = useAgeGate();
  useListModules();
  useServiceWorker(hasServiceWorker && !hasAgeGate);
  usePreloadOnIntent();
  const isSlowVideo = useSlowVideo();
  const isSlowAdmin = useSlowAdmin();
  if (isSlowVideo) return <VideoSkeleton />;
  return isSlowAdmin ? <p role="status">Loading...</p> : <Outlet />;
}

export function ErrorBoundary() {
  return <ErrorPage />;
}
