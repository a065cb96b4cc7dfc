import { createRemixStub } from "@remix-run/testing";
import { cleanup, render } from "@testing-library/react";
import type { ComponentProps, ReactNode } from "react";
import { afterEach } from "vitest";

type Stub = ReturnType<typeof createRemixStub>;
type Routes = Parameters<typeof createRemixStub>[0];
type Start = ComponentProps<Stub>["initialEntries"];

afterEach(cleanup);

/** Renders routes in a browser of their own, as the site would. */
export function renderRoutes(routes: Routes, start: Start = ["/"]) {
  const Page = createRemixStub(routes);
  return render(<Page initialEntries={start} />);
}

/** Renders one element on a page, with a page for every other address that says where it is. */
export function renderAt(element: ReactNode, start: Start = ["/"]) {
  return renderRoutes(
    [
      { path: "/", Component: () => element },
      { path: "*", Component: () => <p>elsewhere</p> },
    ],
    start,
  );
}
