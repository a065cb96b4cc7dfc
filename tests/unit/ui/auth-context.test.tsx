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

const OUTSIDE = "useAuth must be used within an AuthProvider.";

function showHeader(user: AuthUser | undefined) {
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

describe("useAuth", () => {
  it.each([
    ["a component", useAuth],
    ["the studio's permissions", usePermissions],
  ])("throws for %s outside an AuthProvider", (_, use) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const User = () => {
      use();
      return null;
    };
    expect(() => render(<User />)).toThrow(OUTSIDE);
  });

  it("gives the header the signed-in user", () => {
    showHeader({ role: "editor", mayPublish: true });
    expect(screen.getAllByRole("link", { name: "Upload", hidden: true })).not.toEqual([]);
    expect(screen.getAllByRole("button", { name: "Sign Out", hidden: true })).not.toEqual([]);
  });

  it("gives the header of a moderator the reports instead of the upload", () => {
    showHeader({ role: "moderator", mayPublish: false });
    const [link] = screen.getAllByRole("link", { name: "Reports", hidden: true });
    expect(link?.getAttribute("href")).toBe("/admin/reports");
    expect(screen.queryAllByRole("link", { name: "Upload", hidden: true })).toEqual([]);
  });

  it("gives the header no user for a visitor", () => {
    showHeader(undefined);
    expect(screen.queryAllByRole("link", { name: "Upload", hidden: true })).toEqual([]);
    expect(screen.queryAllByRole("button", { name: "Sign Out", hidden: true })).toEqual([]);
  });
});
