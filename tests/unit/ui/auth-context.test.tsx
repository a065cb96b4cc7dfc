// @vitest-environment jsdom
import { createRemixStub } from "@remix-run/testing";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { usePermissions } from "~/features/permissions/use-permissions";
import { Header } from "~/features/site/header";
import { AuthProvider, type AuthUser, useAuth } from "~/ui/auth-context";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const ERROR = "useAuth must be used within an AuthProvider.";

function renderHeader(user: AuthUser | undefined) {
  const Stub = createRemixStub([
    {
      path: "/",
      Component: () => (
        <AuthProvider user={user}>
          <Header siteName="Afterdark" />
        </AuthProvider>
      ),
    },
  ]);
  render(<Stub />);
}

describe("the auth context", () => {
  it.each([
    ["a component", useAuth],
    ["the studio's permissions", usePermissions],
  ])("throws an error when %s is used outside an AuthProvider", (_, use) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const Consumer = () => {
      use();
      return null;
    };
    expect(() => render(<Consumer />)).toThrow(ERROR);
  });

  it("shows Upload and Sign Out in the header to signed-in users", () => {
    renderHeader({ role: "editor", mayPublish: true });
    expect(screen.getAllByRole("link", { name: "Upload", hidden: true })).not.toEqual([]);
    expect(screen.getAllByRole("button", { name: "Sign Out", hidden: true })).not.toEqual([]);
  });

  it("shows Reports instead of Upload in the header to moderators", () => {
    renderHeader({ role: "moderator", mayPublish: false });
    const [link] = screen.getAllByRole("link", { name: "Reports", hidden: true });
    expect(link?.getAttribute("href")).toBe("/admin/reports");
    expect(screen.queryAllByRole("link", { name: "Upload", hidden: true })).toEqual([]);
  });

  it("shows neither Upload nor Sign Out in the header to visitors", () => {
    renderHeader(undefined);
    expect(screen.queryAllByRole("link", { name: "Upload", hidden: true })).toEqual([]);
    expect(screen.queryAllByRole("button", { name: "Sign Out", hidden: true })).toEqual([]);
  });
});
