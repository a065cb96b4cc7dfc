// @vitest-environment jsdom
import { Link } from "@remix-run/react";
import { fireEvent, screen } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useSavedTexts } from "~/features/upload/use-saved-texts";
import { isChanged, useLeaveWarning } from "~/ui/forms/use-leave-warning";
import { renderAt } from "../ui/page";

const NAMES = ["title", "category"];

function Work() {
  const form = useRef<HTMLFormElement>(null);
  const forget = useSavedTexts(form, "work", NAMES, true);
  useLeaveWarning(() => (isChanged(form.current) ? "Leave it?" : undefined), forget);
  return (
    <form ref={form}>
      <input name="title" aria-label="Title" />
      <textarea name="description" aria-label="Description" defaultValue="As it is" />
      <select name="category" aria-label="Category" defaultValue="">
        <option value="">None</option>
        <option value="desi">Desi</option>
      </select>
      <input type="checkbox" name="remove" aria-label="Remove" />
      <Link to="/elsewhere">Leave</Link>
    </form>
  );
}

let confirm: ReturnType<typeof vi.fn>;
beforeEach(() => {
  sessionStorage.clear();
  confirm = vi.fn(() => false);
  vi.stubGlobal("confirm", confirm);
});
afterEach(() => vi.unstubAllGlobals());

describe("unsaved work", () => {
  it.each([
    [
      "a changed text field",
      () => fireEvent.input(screen.getByLabelText("Title"), { target: { value: "x" } }),
    ],
    [
      "a changed text area",
      () => fireEvent.input(screen.getByLabelText("Description"), { target: { value: "x" } }),
    ],
    [
      "a changed select",
      () => fireEvent.change(screen.getByLabelText("Category"), { target: { value: "desi" } }),
    ],
    ["a checked box", () => fireEvent.click(screen.getByLabelText("Remove"))],
  ])("triggers a warning before the user leaves the page: %s", async (_, type) => {
    renderAt(<Work />);
    await screen.findByLabelText("Title");
    type();
    fireEvent.click(screen.getByText("Leave"));
    await vi.waitFor(() => expect(confirm).toHaveBeenCalledWith("Leave it?"));
    expect(screen.queryByText("elsewhere")).toBeNull();
    const leaving = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(leaving);
    expect(leaving.defaultPrevented).toBe(true);

    confirm.mockReturnValue(true);
    fireEvent.click(screen.getByText("Leave"));
    await screen.findByText("elsewhere");
  });

  it("doesn't trigger a warning if nothing was typed", async () => {
    renderAt(<Work />);
    const leaving = new Event("beforeunload", { cancelable: true });
    await screen.findByLabelText("Title");
    window.dispatchEvent(leaving);
    expect(leaving.defaultPrevented).toBe(false);
    fireEvent.click(screen.getByText("Leave"));
    await screen.findByText("elsewhere");
    expect(confirm).not.toHaveBeenCalled();
  });
});

describe("text typed into a form", () => {
  it("is restored when the form is shown again, until it is discarded", async () => {
    const { unmount } = renderAt(<Work />);
    const title = () => screen.getByLabelText<HTMLInputElement>("Title");
    await screen.findByLabelText("Title");
    fireEvent.input(title(), { target: { value: "Half a title" } });
    fireEvent.input(screen.getByLabelText("Category"), { target: { value: "desi" } });
    unmount();

    renderAt(<Work />);
    await screen.findByLabelText("Title");
    expect(title().value).toBe("Half a title");
    expect(screen.getByLabelText<HTMLSelectElement>("Category").value).toBe("desi");
    confirm.mockReturnValue(true);
    fireEvent.click(screen.getByText("Leave"));
    await screen.findByText("elsewhere");
    expect(sessionStorage.getItem("work")).toBeNull();
  });

  it("is ignored if the stored data is corrupt", async () => {
    sessionStorage.setItem("work", "{");
    renderAt(<Work />);
    expect((await screen.findByLabelText<HTMLInputElement>("Title")).value).toBe("");
  });
});
