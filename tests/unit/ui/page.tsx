import { createRemixStub } from "@remix-run/testing";
import { cleanup, render } from "@testing-library/react";
import type { ComponentProps, ReactNode } from "react";
import { afterEach } from "vitest";
import { AuthProvider, type AuthUser } from "~/ui/auth-context";

type Stub = ReturnType<typeof createRemixStub>;
type Routes = Parameters<typeof createRemixStub>[0];
type Start = ComponentProps<Stub>["initialEntries"];

afterEach(cleanup);

/** Renders routes with an in-memory history instead of the browser's. */
export function renderRoutes(routes: Routes, start: Start = ["/"]) {
  const Page = createRemixStub(routes);
  return render(<Page initialEntries={start} />);
}

const OWNER: AuthUser = { role: "owner", mayPublish: true };

/**
 * Renders an element as the page at `/` for a signed-in owner. Every other URL renders a page with the text
 * "elsewhere".
 */
export function renderAt(element: ReactNode, start: Start = ["/"]) {
  const page = <AuthProvider user={OWNER}>{element}</AuthProvider>;
  return renderRoutes(
    [
      { path: "/", Component: () => page },
      { path: "*", Component: () => <p>elsewhere</p> },
    ],
    start,
  );
}
