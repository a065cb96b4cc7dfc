// @vitest-environment jsdom
import { useLocation, useNavigationType } from "@remix-run/react";
import { fireEvent, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { PageLink } from "~/ui/page-link";
import { renderRoutes } from "./page";

function LocationText() {
  const { pathname, search, state } = useLocation();
  return <p role="status">{`${useNavigationType()} ${pathname}${search} ${state?.steps}`}</p>;
}

function renderLink(link: ReactNode) {
  const page = (
    <>
      {link}
      <LocationText />
    </>
  );
  renderRoutes([{ path: "*", Component: () => page }], ["/start"]);
  return screen.getByRole("link");
}

/** Returns whether the link handled the click. If it didn't, cancels the click, because jsdom can't navigate. */
function click(link: HTMLElement, init: MouseEventInit = {}): boolean {
  let isHandled = false;
  const recordAndCancel = (event: MouseEvent) => {
    isHandled = event.defaultPrevented;
    event.preventDefault();
  };
  window.addEventListener("click", recordAndCancel, { once: true });
  fireEvent.click(link, { button: 0, ...init });
  return isHandled;
}

describe("PageLink", () => {
  it("has the given URL as its href", () => {
    const link = renderLink(<PageLink to="/video/a%20b?from=home&page=2#top">Go</PageLink>);
    expect(link.getAttribute("href")).toBe("/video/a%20b?from=home&page=2#top");
    expect(link.dataset.discover).toBe("true");
  });

  it("navigates on the client and passes on its state", async () => {
    const link = renderLink(
      <PageLink to="/trending?page=2" state={{ steps: 1 }}>
        Go
      </PageLink>,
    );
    expect(click(link)).toBe(true);
    expect(await screen.findByText("PUSH /trending?page=2 1")).toBeTruthy();
  });

  it("replaces the history entry when it links to the current page", async () => {
    const link = renderLink(<PageLink to={window.location.pathname}>Go</PageLink>);
    click(link);
    expect(await screen.findByText(/^REPLACE /)).toBeTruthy();
  });

  it.each([
    { ctrlKey: true },
    { metaKey: true },
    { shiftKey: true },
    { altKey: true },
    { button: 1 },
  ])("leaves a click with %j to the browser", (init) => {
    const link = renderLink(<PageLink to="/trending">Go</PageLink>);
    expect(click(link, init)).toBe(false);
    expect(screen.getByRole("status").textContent).toContain("/start");
  });

  it("leaves clicks to the browser if it has a target", () => {
    const link = renderLink(
      <PageLink to="/trending" target="_blank">
        Go
      </PageLink>,
    );
    expect(click(link)).toBe(false);
    expect(screen.getByRole("status").textContent).toContain("/start");
  });

  it("doesn't navigate if its click handler calls preventDefault", () => {
    const link = renderLink(
      <PageLink to="/trending" onClick={(event) => event.preventDefault()}>
        Go
      </PageLink>,
    );
    click(link);
    expect(screen.getByRole("status").textContent).toContain("/start");
  });
});
