// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { copyText, share } from "~/ui/share";

const URL = "https://site.example/video/7?t=83";

function stubNavigator(properties: object) {
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(navigator, name, { value, configurable: true });
  }
}

describe("the share button (specification, section 2)", () => {
  afterEach(() => {
    stubNavigator({ share: undefined, clipboard: undefined });
    Reflect.deleteProperty(document, "execCommand");
  });

  it("passes the title and URL to the device's share function", async () => {
    const shareFn = vi.fn(async () => {});
    stubNavigator({ share: shareFn });
    expect(await share("A video", URL)).toBe("shared");
    expect(shareFn).toHaveBeenCalledWith({ title: "A video", url: URL });
  });
  it("copies the URL if the device can't share", async () => {
    const writeText = vi.fn(async () => {});
    stubNavigator({ clipboard: { writeText } });
    expect(await share("A video", URL)).toBe("copied");
    expect(writeText).toHaveBeenCalledWith(URL);
  });
  it("doesn't copy after the visitor dismisses the share sheet", async () => {
    const writeText = vi.fn(async () => {});
    const shareFn = () => Promise.reject(new DOMException("closed", "AbortError"));
    stubNavigator({ share: shareFn, clipboard: { writeText } });
    expect(await share("A video", URL)).toBe("dismissed");
    expect(writeText).not.toHaveBeenCalled();
  });
  it("copies the URL if the share sheet fails", async () => {
    const shareFn = () => Promise.reject(new DOMException("no", "NotAllowedError"));
    stubNavigator({ share: shareFn, clipboard: { writeText: async () => {} } });
    expect(await share("A video", URL)).toBe("copied");
  });
  it("copies with execCommand if there is no clipboard API, and removes the text area that it used", async () => {
    let selected = "";
    Object.assign(document, {
      execCommand() {
        selected = (document.activeElement as HTMLTextAreaElement).value;
        return true;
      },
    });
    expect(await copyText(URL)).toBe(true);
    expect(selected).toBe(URL);
    expect(document.querySelector("textarea")).toBeNull();
  });
  it("reports a failure if the URL can be neither shared nor copied", async () => {
    expect(await share("A video", URL)).toBe("failed");
  });
});
