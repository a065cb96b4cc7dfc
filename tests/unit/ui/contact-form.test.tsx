// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ContactForm } from "~/features/site/contact-form";
import { renderAt } from "./page";

afterEach(() => {
  vi.restoreAllMocks();
});

const open = () => renderAt(<ContactForm email="contact@site.example" />);
const send = () => userEvent.click(screen.getByRole("button", { name: "Prepare email" }));

describe("the contact form", () => {
  it("shows an error next to each missing field and focuses the first one", async () => {
    open();
    await userEvent.type(screen.getByLabelText(/^Name/), "Ann");
    await send();
    const email = screen.getByLabelText(/^Email/);
    expect(email.getAttribute("aria-invalid")).toBe("true");
    const message = document.getElementById(email.getAttribute("aria-describedby") ?? "");
    expect(message?.textContent).toBe("Please enter your email address.");
    expect(document.activeElement).toBe(email);
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Ann");
  });

  it("logs the message to the console and offers a prefilled email, without sending anything", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const fetchSpy = vi.spyOn(globalThis, "fetch");
    open();
    await userEvent.type(screen.getByLabelText(/^Name/), "Ann");
    await userEvent.type(screen.getByLabelText(/^Email/), "ann@example.com");
    await userEvent.type(screen.getByLabelText(/^Subject/), "Hello");
    await userEvent.type(screen.getByLabelText(/^Message/), "Is this yours?");
    await send();
    expect(await screen.findByText(/hasn’t been sent yet/)).toBeTruthy();
    const mailtoUrl = screen.getByRole("link", { name: "Open in email app" }).getAttribute("href");
    expect(mailtoUrl).toMatch(
      /^mailto:contact@site\.example\?subject=Hello&body=Is%20this%20yours/,
    );
    expect(log).toHaveBeenCalledOnce();
    expect(fetchSpy).not.toHaveBeenCalled();
  });
});
