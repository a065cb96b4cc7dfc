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
  it("says what is missing, beside the field, and goes to the first of them", async () => {
    open();
    await userEvent.type(screen.getByLabelText(/^Name/), "Ann");
    await send();
    const email = screen.getByLabelText(/^Email/);
    expect(email.getAttribute("aria-invalid")).toBe("true");
    const words = document.getElementById(email.getAttribute("aria-describedby") ?? "");
    expect(words?.textContent).toBe("Please enter your email address.");
    expect(document.activeElement).toBe(email);
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Ann");
  });

  it("keeps the message in the browser: on its console and in a ready-made mail", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const fetched = vi.spyOn(globalThis, "fetch");
    open();
    await userEvent.type(screen.getByLabelText(/^Name/), "Ann");
    await userEvent.type(screen.getByLabelText(/^Email/), "ann@example.com");
    await userEvent.type(screen.getByLabelText(/^Subject/), "Hello");
    await userEvent.type(screen.getByLabelText(/^Message/), "Is this yours?");
    await send();
    expect(await screen.findByText(/hasn’t been sent yet/)).toBeTruthy();
    const mail = screen.getByRole("link", { name: "Open in email app" }).getAttribute("href");
    expect(mail).toMatch(/^mailto:contact@site\.example\?subject=Hello&body=Is%20this%20yours/);
    expect(log).toHaveBeenCalledOnce();
    expect(fetched).not.toHaveBeenCalled();
  });
});
