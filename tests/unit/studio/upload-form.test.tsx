// @vitest-environment jsdom
import { createRemixStub } from "@remix-run/testing";
import { act, fireEvent, screen, within } from "@testing-library/react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { beforeEach, expect, it, vi } from "vitest";
import { UploadForm } from "~/features/upload/upload-form";
import { AuthProvider } from "~/ui/auth-context";
import { ToastProvider } from "~/ui/feedback/toast";
import { renderAt } from "../ui/page";

const LIMITS = { maxVideoBytes: 1024, maxThumbnailBytes: 100 };

const form = (
  <AuthProvider user={{ role: "owner", mayPublish: true }}>
    <ToastProvider>
      <UploadForm limits={LIMITS} />
    </ToastProvider>
  </AuthProvider>
);
const Page = createRemixStub([{ path: "/", Component: () => form }]);

beforeEach(() => {
  sessionStorage.clear();
  // jsdom can't play videos and logs an error if a video is played.
  vi.spyOn(HTMLMediaElement.prototype, "load").mockImplementation(() => {});
});

const namesIn = (root: ParentNode) =>
  [...root.querySelectorAll<HTMLInputElement>("[name]")].map(({ name }) => name);

it("sends the text fields before the file without JavaScript, and shows the file first with JavaScript", async () => {
  const html = renderToString(<Page />);
  // The test router has a layout effect, which React warns about on a server.
  for (const [message] of vi.mocked(console.error).mock.calls) {
    expect(message).toContain("useLayoutEffect does nothing on the server");
  }
  vi.mocked(console.error).mockClear();
  const box = document.createElement("div");
  box.innerHTML = html;
  document.body.append(box);
  const before = namesIn(box);
  expect(before.indexOf("title")).toBeLessThan(before.indexOf("video"));
  box.querySelector<HTMLInputElement>("[name=title]")!.value = "Typed early";

  const root = await act(async () => hydrateRoot(box, <Page />));
  const after = namesIn(box);
  expect(after.indexOf("video")).toBeLessThan(after.indexOf("title"));
  expect(box.querySelector<HTMLInputElement>("[name=title]")!.value).toBe("Typed early");
  act(() => root.unmount());
  box.remove();
});

it("reports a rejected file once, and replaces it with the next one", async () => {
  renderAt(form);
  const input = await screen.findByLabelText(/Videos/);
  const choose = (name: string, type: string, text: string) =>
    fireEvent.change(input, { target: { files: [new File([text], name, { type })] } });
  choose("notes.txt", "text/plain", "words");
  expect(screen.getAllByText("This file is not a video.")).toHaveLength(1);
  expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
  choose("empty.mp4", "video/mp4", "");
  expect(screen.queryByText("This file is not a video.")).toBeNull();
  expect(screen.getAllByText("This file is empty.")).toHaveLength(1);
  choose("large.mp4", "video/mp4", "x".repeat(1025));
  expect(screen.getAllByText("The video is larger than 1KB.")).toHaveLength(1);
  expect(screen.getAllByRole("listitem")).toHaveLength(1);
});

it("shows the detected duration of every selected video", async () => {
  // jsdom doesn't load media. In this test, a file's duration is its size, and files with an odd size fail.
  const sizes = new Map<string, number>();
  const createObjectURL = (file: File) => {
    const url = `blob:${sizes.size}`;
    sizes.set(url, file.size);
    return url;
  };
  vi.stubGlobal(
    "URL",
    Object.assign(class extends URL {}, { createObjectURL, revokeObjectURL() {} }),
  );
  vi.spyOn(HTMLMediaElement.prototype, "src", "set").mockImplementation(function (
    this: HTMLMediaElement,
    url,
  ) {
    const seconds = sizes.get(url) ?? 0;
    Object.defineProperty(this, "duration", { value: seconds });
    queueMicrotask(() => this.dispatchEvent(new Event(seconds % 2 ? "error" : "loadedmetadata")));
  });
  renderAt(form);
  const input = await screen.findByLabelText(/Videos/);
  const choose = (...seconds: number[]) => {
    const files = seconds.map(
      (length) => new File(["x".repeat(length)], `${length}.mp4`, { type: "video/mp4" }),
    );
    fireEvent.change(input, { target: { files } });
  };
  choose(62);
  expect(await screen.findByText("Video duration: 1:02")).toBeTruthy();
  choose(64, 66, 67);
  expect(await screen.findByText("Video duration: 1:04")).toBeTruthy();
  expect(await screen.findByText("Video duration: 1:06")).toBeTruthy();
  expect(screen.getAllByText("Duration Detected")).toHaveLength(3);
  expect(await screen.findByText("0:00 · 67 bytes")).toBeTruthy();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("rejects a time in the past before sending data, and restores the times after a reload", async () => {
  const { unmount, container } = renderAt(form);
  const input = await screen.findByLabelText(/Videos/);
  fireEvent.change(input, {
    target: { files: [new File(["video"], "a.mp4", { type: "video/mp4" })] },
  });
  const publishAt = () => screen.getByLabelText<HTMLInputElement>("Publish at");
  fireEvent.change(publishAt(), { target: { value: "2020-01-01T10:00" } });
  fireEvent.submit(container.querySelector("form")!);
  expect(
    screen.getByText("That time is in the past. Choose a later one.", { selector: "p[id]" }),
  ).toBeTruthy();
  expect(screen.queryByText("Uploading...")).toBeNull();
  expect(publishAt().closest("details")!.open).toBe(true);
  unmount();
  renderAt(form);
  await screen.findByLabelText(/Videos/);
  expect(publishAt().value).toBe("2020-01-01T10:00");
  expect(publishAt().closest("details")!.open).toBe(true);
});

it("fills in queued files from pasted lines, and reports lines that don't match", async () => {
  renderAt(form);
  const input = await screen.findByLabelText(/Videos/);
  const files = ["one.mp4", "two.mp4"].map((name) => new File(["x"], name, { type: "video/mp4" }));
  fireEvent.change(input, { target: { files } });
  const lines = screen.getByLabelText("One line per file, in order");
  fireEvent.change(lines, { target: { value: "First | a, b | English\n | c | nothing\nThird" } });
  fireEvent.click(screen.getByRole("button", { name: "Fill in" }));
  const values = (label: string) =>
    within(screen.getByRole("list", { name: "Queue" }))
      .getAllByLabelText<HTMLInputElement>(label)
      .map(({ value }) => value);
  expect(values("Title *")).toEqual(["First", "Two"]);
  expect(values("Tags")).toEqual(["a, b", "c"]);
  expect(values("Category")).toEqual(["english", ""]);
  expect(screen.getByText(/2 videos filled in/).textContent).toBe(
    "2 videos filled in. 1 line had no matching file. Line 2: there is no category “nothing”.",
  );
});

it("starts from a template, and keeps edited fields when another template is selected", async () => {
  const texts = { description: "Recorded at night.", category: "desi", tags: "night" };
  const day = { description: "By day.", category: "", tags: "sun" };
  const templates = [{ id: 1, name: "Day", isDefault: false, ...day }];
  renderAt(
    <ToastProvider>
      <UploadForm limits={LIMITS} start={{ templates, last: texts, texts }} />
    </ToastProvider>,
  );
  const value = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label).value;
  const values = () => [value(/^Description/), value(/^Category/), value(/^Tags/)];
  expect(values()).toEqual(["Recorded at night.", "desi", "night"]);
  expect(screen.getByRole("link", { name: "Last upload" }).getAttribute("href")).toBe(
    "/admin?start=last",
  );
  fireEvent.click(screen.getByRole("link", { name: "Day" }));
  expect(values()).toEqual(["By day.", "", "sun"]);
});
