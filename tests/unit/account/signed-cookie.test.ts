import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sessionSecrets } from "~/platform/secret.server";
import { forgetSettings } from "~/platform/settings.server";
import { readSignedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { readToast, redirectWithToast } from "~/platform/toast.server";
import { useTemporarySite } from "../../temporary-site";

const [NEW, OLD] = ["new".repeat(11), "old".repeat(11)];

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const nameAndValue = (header: string) => header.split(";")[0]!;
const withCookie = (cookie: string) =>
  new Request("http://localhost/", { headers: { Cookie: cookie } });

function setting(name: string, value: string | undefined) {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
  forgetSettings();
}

describe("a signed cookie", () => {
  it("can be read back", () => {
    const cookie = signedCookie("report", "hällo; =", Date.now() + 60_500);
    expect(cookie).toMatch(/; Path=\/; Max-Age=60; HttpOnly; SameSite=Lax$/);
    expect(readSignedCookie(withCookie(`x=1; ${nameAndValue(cookie)}; y`), "report")).toBe(
      "hällo; =",
    );
  });

  it("is marked Secure if the site uses HTTPS", () => {
    setting("PUBLIC_URL", "https://videos.example");
    expect(signedCookie("report", "1", Date.now() + 60_000)).toMatch(/; Secure$/);
  });

  it("can't be altered or used in place of another cookie", () => {
    const pair = nameAndValue(signedCookie("report", "1", Date.now() + 60_000));
    expect(
      readSignedCookie(withCookie(pair.replace("report=", "session=")), "session"),
    ).toBeUndefined();
    const [payload, end, mac] = pair.slice("report=".length).split(".") as [string, string, string];
    for (const forged of [
      `${payload}x.${end}.${mac}`,
      `${payload}.${Number(end) + 1}.${mac}`,
      `${payload}.${mac}`,
      payload,
      `${payload}.${end}`,
      `.${mac}`,
      `${pair}.x`,
      "",
    ]) {
      expect(readSignedCookie(withCookie(`report=${forged}`), "report"), forged).toBeUndefined();
    }
  });

  it("expires on the server too, so a stolen copy stops working at the same time", () => {
    const now = Date.now();
    const pair = nameAndValue(signedCookie("report", "1", now + 60_000, now));
    expect(readSignedCookie(withCookie(pair), "report", now + 59_999)).toBe("1");
    expect(readSignedCookie(withCookie(pair), "report", now + 60_000)).toBeUndefined();
  });

  it("stays valid after the secret is rotated, as long as the old secret is still listed", () => {
    setting("SESSION_SECRET", OLD);
    const pair = nameAndValue(signedCookie("report", "1", Date.now() + 60_000));
    setting("SESSION_SECRET", `${NEW},${OLD}`);
    expect(readSignedCookie(withCookie(pair), "report")).toBe("1");
    setting("SESSION_SECRET", NEW);
    expect(readSignedCookie(withCookie(pair), "report")).toBeUndefined();
  });
});

describe("the generated session secret", () => {
  it("is created once and stored next to the database in a file that only its owner can read", () => {
    setting("SESSION_SECRET", undefined);
    const [secret] = sessionSecrets();
    const file = path.join(site.folder, "db", "session-secret");
    expect(fs.readFileSync(file, "utf8").trim()).toBe(secret);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(secret!.length).toBeGreaterThanOrEqual(43);
    expect(sessionSecrets()[0]).toBe(secret);
  });

  it("is rotated by adding a line at the top of its file", () => {
    fs.mkdirSync(path.join(site.folder, "db"), { recursive: true });
    fs.writeFileSync(path.join(site.folder, "db", "session-secret"), `${NEW}\n${OLD}\n`);
    setting("SESSION_SECRET", undefined);
    expect(sessionSecrets()).toEqual([NEW, OLD]);
  });

  it("is rejected if its file contains a secret that is too short", () => {
    const file = path.join(site.folder, "db", "session-secret");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${NEW}\nshort\n`);
    setting("SESSION_SECRET", undefined);
    expect(() => sessionSecrets()).toThrow(
      `${file} contains a secret with fewer than 32 characters`,
    );
  });
});

describe("a toast", () => {
  const toast = {
    title: "Success",
    description: "Signed in successfully!",
    kind: "success",
  } as const;

  it("is sent with the redirect and can be read only once", async () => {
    const response = redirectWithToast("/", toast, { headers: { "Set-Cookie": "other=1" } });
    expect([response.status, response.headers.get("Location")]).toEqual([302, "/"]);
    const cookies = response.headers.getSetCookie();
    expect(cookies).toHaveLength(2);
    const read = await readToast(withCookie(nameAndValue(cookies[1]!)));
    expect(read.toast).toEqual(toast);
    expect(read.headers.get("Set-Cookie")).toMatch(/^toast=; Path=\/; Max-Age=0/);
  });

  it("is ignored if its cookie is forged", async () => {
    const { toast: none, headers } = await readToast(withCookie("toast=forged.mac"));
    expect(none).toBeUndefined();
    expect([...headers]).toEqual([]);
  });
});
