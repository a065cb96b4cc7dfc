import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientAddress } from "~/server/client-address.server";
import { forgetSettings } from "~/server/settings.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ PUBLIC_URL: "https://videos.example" });
});
afterEach(() => site.remove());

const from = (forwarded: string) =>
  clientAddress(new Request("http://localhost/", { headers: { "X-Forwarded-For": forwarded } }));

describe("the address a request came from", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["6.6.6.6, 192.0.2.7", "192.0.2.7"],
    ["192.0.2.7:4711", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["[2001:0DB8:1:2::1]:443", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["::ffff:1", "0:0:0:0"],
    ["unknown", "unknown"],
    ["", "unknown"],
  ])("is, as the proxy says %j, %s", (forwarded, address) => expect(from(forwarded)).toBe(address));

  it("is not what a client says of itself where there is no proxy", () => {
    delete process.env.PUBLIC_URL;
    forgetSettings();
    expect(from("192.0.2.7")).toBe("unknown");
  });
});
