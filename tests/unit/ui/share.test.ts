// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { copyText, share } from "~/ui/share";

const URL = "https://site.example/video/7?t=83";

function device(more: object) {
  for (const [name, value] of Object.entries(more)) {
    Object.defineProperty(navigator, name, { value, configurable: true });
  }
}

describe("share (specification, section 2)", () => {
  afterEach(() => {
    device({ share: undefined, clipboard: undefined });
    Reflect.deleteProperty(document, "execCommand");
  });

  it("hands title and address to the device", async () => {
    const give = vi.fn(async () => {});
    device({ share: give });
    expect(await share("A video", URL)).toBe("shared");
    expect(give).toHaveBeenCalledWith({ title: "A video", url: URL });
  });
  it("copies the address where the device shares nothing", async () => {
    const writeText = vi.fn(async () => {});
    device({ clipboard: { writeText } });
    expect(await share("A video", URL)).toBe("copied");
    expect(writeText).toHaveBeenCalledWith(URL);
  });
  it("does nothing more when the visitor closes the sheet", async () => {
    const writeText = vi.fn(async () => {});
    const give = () => Promise.reject(new DOMException("closed", "AbortError"));
    device({ share: give, clipboard: { writeText } });
    expect(await share("A video", URL)).toBe("dismissed");
    expect(writeText).not.toHaveBeenCalled();
  });
  it("copies when the sheet fails", async () => {
    const give = () => Promise.reject(new DOMException("no", "NotAllowedError"));
    device({ share: give, clipboard: { writeText: async () => {} } });
    expect(await share("A video", URL)).toBe("copied");
  });
  it("copies by selection where there is no clipboard, and leaves nothing behind", async () => {
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
  it("says so when nothing works", async () => {
    expect(await share("A video", URL)).toBe("failed");
  });
});
