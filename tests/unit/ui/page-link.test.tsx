// @vitest-environment jsdom
import { useLocation, useNavigationType } from "@remix-run/react";
import { fireEvent, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { PageLink } from "~/ui/page-link";
import { renderRoutes } from "./page";

function Where() {
  const { pathname, search, state } = useLocation();
  return <p role="status">{`${useNavigationType()} ${pathname}${search} ${state?.steps}`}</p>;
}

function renderLink(link: ReactNode) {
  const page = (
    <>
      {link}
      <Where />
    </>
  );
  renderRoutes([{ path: "*", Component: () => page }], ["/start"]);
  return screen.getByRole("link");
}

/** Whether a click was kept from the browser, for which jsdom has nowhere to go. */
function click(link: HTMLElement, keys: MouseEventInit = {}): boolean {
  let isHandled = false;
  const last = (event: MouseEvent) => {
    isHandled = event.defaultPrevented;
    event.preventDefault();
  };
  window.addEventListener("click", last, { once: true });
  fireEvent.click(link, { button: 0, ...keys });
  return isHandled;
}

describe("a link to a page of the site", () => {
  it("is an ordinary link to the address as it is given", () => {
    const link = renderLink(<PageLink to="/video/a%20b?from=home&page=2#top">Go</PageLink>);
    expect(link.getAttribute("href")).toBe("/video/a%20b?from=home&page=2#top");
    expect(link.dataset.discover).toBe("true");
  });

  it("turns the page without loading it anew, and gives its state along", async () => {
    const link = renderLink(
      <PageLink to="/trending?page=2" state={{ steps: 1 }}>
        Go
      </PageLink>,
    );
    expect(click(link)).toBe(true);
    expect(await screen.findByText("PUSH /trending?page=2 1")).toBeTruthy();
  });

  it("makes no second entry in the history for the page that is shown", async () => {
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
  ])("leaves a click with %j to the browser", (keys) => {
    const link = renderLink(<PageLink to="/trending">Go</PageLink>);
    expect(click(link, keys)).toBe(false);
    expect(screen.getByRole("status").textContent).toContain("/start");
  });

  it("leaves a link for another window, and a click that was handled, alone", () => {
    const link = renderLink(
      <PageLink to="/trending" target="_blank">
        Go
      </PageLink>,
    );
    expect(click(link)).toBe(false);
    expect(screen.getByRole("status").textContent).toContain("/start");
  });

  it("does not open when its own handler has dealt with the click", () => {
    const link = renderLink(
      <PageLink to="/trending" onClick={(event) => event.preventDefault()}>
        Go
      </PageLink>,
    );
    click(link);
    expect(screen.getByRole("status").textContent).toContain("/start");
  });
});
