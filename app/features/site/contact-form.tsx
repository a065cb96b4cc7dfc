import { Form } from "@remix-run/react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button, buttonClass } from "~/ui/button";
import { Field, TextAreaField } from "~/ui/forms/field";

export interface ContactResult {
  message: ContactMessage;
  errors: ContactErrors;
}

/**
 * The contact form. With JavaScript, the message isn't sent to the server. Without JavaScript, the server validates the
 * message and returns it without storing anything.
 */
export function ContactForm({ email, fromServer }: { email: string; fromServer?: ContactResult }) {
  const [own, setOwn] = useState<ContactResult>();
  const form = useRef<HTMLFormElement>(null);
  const result = own ?? fromServer;
  const wrong = result && Object.keys(result.errors).length > 0;

  function check(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const checked = readContactForm(new FormData(event.currentTarget));
    setOwn(checked);
    if (Object.keys(checked.errors).length === 0) console.log("Contact form", checked.message);
  }

  useEffect(() => {
    if (!own) return;
    const first = CONTACT_FIELDS.find((field) => own.errors[field]);
    if (first) form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
  }, [own]);

  if (result && !wrong) return <Acknowledged email={email} message={result.message} />;

  const field = (name: keyof ContactMessage) => ({
    name,
    required: true,
    error: result?.errors[name],
    defaultValue: result?.message[name],
  });
  return (
    <Form ref={form} method="post" noValidate onSubmit={check} className="flex flex-col gap-5">
      <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
        <Field label="Name" autoComplete="name" maxLength={200} {...field("name")} />
        <Field
          label="Email"
          type="email"
          autoComplete="email"
          maxLength={254}
          {...field("email")}
        />
      </div>
      <Field label="Subject" maxLength={200} {...field("subject")} />
      <TextAreaField label="Message" rows={6} maxLength={5_000} {...field("message")} />
      <Button className="self-start">Prepare email</Button>
    </Form>
  );
}

function Acknowledged({ email, message }: { email: string; message: ContactMessage }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div role="status" className="rounded-lg border border-line bg-surface p-6">
      <h2 ref={heading} tabIndex={-1} className="text-lg font-semibold outline-none">
        Thank you, {message.name}. Your email is ready.
      </h2>
      <p className="mt-2 text-muted">
        It hasn’t been sent yet, because this site doesn’t store or forward messages. Send it from
        your email app: everything is filled in.
      </p>
      <a href={mailtoAddress(email, message)} className={`${buttonClass()} mt-5`}>
        Open in email app
      </a>
      <p className="mt-5 text-sm text-muted">
        It is addressed to {email}. We answer within 1 to 2 business days.
      </p>
    </div>
  );
}

/** An input in the contact form. */
export interface ContactMessage {
  name: string;
  email: string;
  subject: string;
  message: string;
}

const CONTACT_FIELDS = ["name", "email", "subject", "message"] as const;
export type ContactErrors = Partial<Record<keyof ContactMessage, string>>;

const MISSING: Record<keyof ContactMessage, string> = {
  name: "Please enter your name.",
  email: "Please enter your email address.",
  subject: "Please enter a subject.",
  message: "Please enter a message.",
};

/** Returns a form's trimmed fields and their errors. All four fields are required. */
export function readContactForm(form: FormData): {
  message: ContactMessage;
  errors: ContactErrors;
} {
  const errors: ContactErrors = {};
  const message = { name: "", email: "", subject: "", message: "" };
  for (const field of CONTACT_FIELDS) {
    const value = form.get(field);
    message[field] = typeof value === "string" ? value.trim() : "";
    if (!message[field]) errors[field] = MISSING[field];
  }
  if (message.email && !/^[^\s@]+@[^\s@]+$/.test(message.email)) {
    errors.email = "Please enter a valid email address.";
  }
  return { message, errors };
}

/** Returns the message as a `mailto:` URL (RFC 6068). */
export function mailtoAddress(
  to: string,
  { name, email, subject, message }: ContactMessage,
): string {
  const body = `${message}\n\n${name}\n${email}`.replace(/\r?\n/g, "\r\n");
  const recipient = encodeURIComponent(to).replaceAll("%40", "@");
  return `mailto:${recipient}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
}
