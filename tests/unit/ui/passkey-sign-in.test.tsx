// @vitest-environment jsdom
import { startAuthentication } from "@simplewebauthn/browser";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ToastProvider } from "~/ui/feedback/toast";
import { PasskeySignIn } from "~/ui/forms/passkey-sign-in";
import { renderAt } from "./page";

vi.mock("@simplewebauthn/browser", () => ({
  browserSupportsWebAuthnAutofill: async () => true,
  startAuthentication: vi.fn(),
  WebAuthnAbortService: { cancelCeremony: vi.fn() },
}));

/** Answers the challenges that were asked for, in the order of the questions. */
let challenges: (() => void)[];

beforeEach(() => {
  challenges = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(
    () => new Promise((answer) => challenges.push(() => answer(Response.json({})))),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.mocked(startAuthentication).mockReset();
});

function open() {
  const signIn = (
    <ToastProvider>
      <PasskeySignIn busy={false} />
    </ToastProvider>
  );
  renderAt(signIn);
}
const press = () => userEvent.click(screen.getByRole("button", { name: /passkey/ }));
/** Of each question to the browser, whether it was for a suggestion below the field. */
const asked = () =>
  vi.mocked(startAuthentication).mock.calls.map(([how]) => how.useBrowserAutofill);

it("asks by the button alone, when the challenge of a suggestion comes late", async () => {
  vi.mocked(startAuthentication).mockReturnValue(new Promise(() => {}));
  open();
  await waitFor(() => expect(challenges).toHaveLength(1));
  await press();
  await waitFor(() => expect(challenges).toHaveLength(2));
  challenges[1]!();
  await waitFor(() => expect(asked()).toEqual([false]));
  challenges[0]!();
  await new Promise((next) => setTimeout(next));
  expect(asked()).toEqual([false]);
});

it("suggests again once what the button asked for was refused", async () => {
  const refused = Object.assign(new Error("refused"), { name: "NotAllowedError" });
  vi.mocked(startAuthentication).mockRejectedValueOnce(refused);
  vi.mocked(startAuthentication).mockReturnValue(new Promise(() => {}));
  open();
  await press();
  await waitFor(() => expect(challenges).toHaveLength(2));
  for (const answer of challenges) answer();
  expect(await screen.findByText(/No passkey was used/)).toBeTruthy();
  await waitFor(() => expect(challenges).toHaveLength(3));
  challenges[2]!();
  await waitFor(() => expect(asked()).toEqual([false, true]));
});
