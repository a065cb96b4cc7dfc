/** What someone has typed into the contact form. */
export interface ContactMessage {
  name: string;
  email: string;
  subject: string;
  message: string;
}

export const CONTACT_FIELDS = ["name", "email", "subject", "message"] as const;
export type ContactErrors = Partial<Record<keyof ContactMessage, string>>;

const MISSING: Record<keyof ContactMessage, string> = {
  name: "Please tell us your name.",
  email: "Please tell us where to answer.",
  subject: "Please give your message a subject.",
  message: "Please write your message.",
};

/** The message of a form, trimmed, and what is wrong with it. All four fields are required. */
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

/** The same message as a mail to be sent from the writer's own program (RFC 6068). */
export function mailtoAddress(
  to: string,
  { name, email, subject, message }: ContactMessage,
): string {
  const body = `${message}\n\n${name}\n${email}`.replace(/\r?\n/g, "\r\n");
  const recipient = encodeURIComponent(to).replaceAll("%40", "@");
  return `mailto:${recipient}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
}
