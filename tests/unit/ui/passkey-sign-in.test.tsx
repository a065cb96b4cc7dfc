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

/** A callback for each challenge request, in order. Calling a callback sends the response. */
let challengeResponses: (() => void)[];

beforeEach(() => {
  challengeResponses = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(
    () => new Promise((resolve) => challengeResponses.push(() => resolve(Response.json({})))),
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
/** For each passkey request, returns whether it used the browser's autofill. */
const autofillRequests = () =>
  vi.mocked(startAuthentication).mock.calls.map(([options]) => options.useBrowserAutofill);

it("ignores the autofill challenge if it arrives after the button was pressed", async () => {
  vi.mocked(startAuthentication).mockReturnValue(new Promise(() => {}));
  open();
  await waitFor(() => expect(challengeResponses).toHaveLength(1));
  await press();
  await waitFor(() => expect(challengeResponses).toHaveLength(2));
  challengeResponses[1]!();
  await waitFor(() => expect(autofillRequests()).toEqual([false]));
  challengeResponses[0]!();
  await new Promise((next) => setTimeout(next));
  expect(autofillRequests()).toEqual([false]);
});

it("restarts autofill after the button's request is rejected", async () => {
  const error = Object.assign(new Error("rejected"), { name: "NotAllowedError" });
  vi.mocked(startAuthentication).mockRejectedValueOnce(error);
  vi.mocked(startAuthentication).mockReturnValue(new Promise(() => {}));
  open();
  await press();
  await waitFor(() => expect(challengeResponses).toHaveLength(2));
  for (const respond of challengeResponses) respond();
  expect(await screen.findByText(/No passkey was used/)).toBeTruthy();
  await waitFor(() => expect(challengeResponses).toHaveLength(3));
  challengeResponses[2]!();
  await waitFor(() => expect(autofillRequests()).toEqual([false, true]));
});
