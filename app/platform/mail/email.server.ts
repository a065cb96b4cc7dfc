import { isLoopback } from "../loopback";

/** The timeout for each step of the SMTP session. */
const MAX_MS = 10_000;

export interface Email {
  /** Part of the Message-ID, by which mail clients recognize duplicates. */
  id: string;
  subject: string;
  text: string;
}

/**
 * Sends a plain-text email. The connection must be encrypted unless the server runs on this machine.
 *
 * @param server smtp://user:password@host:port, or smtps://.
 * @throws an Error whose message doesn't quote the server's response, because the response may contain a secret.
 */
export async function sendEmail(
  server: string,
  { from, to }: { from: string; to: string },
  email: Email,
): Promise<void> {
  // The package is loaded on demand, because it takes 17 MB of memory after the first connection, and most sites never
  // send email.
  const { createTransport } = await import("nodemailer");
  const { protocol, hostname, port, username, password } = new URL(server);
  const secure = protocol === "smtps:";
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    requireTLS: !secure && !isLoopback(hostname),
    ignoreTLS: !secure && isLoopback(hostname),
    ...(username && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    connectionTimeout: MAX_MS,
    greetingTimeout: MAX_MS,
    socketTimeout: MAX_MS,
    dnsTimeout: MAX_MS,
  });
  try {
    await transport.sendMail({
      from,
      to,
      subject: oneLine(email.subject),
      text: email.text,
      messageId: `<${email.id}@${from.split("@")[1]}>`,
      headers: { "Auto-Submitted": "auto-generated" },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  } catch (error) {
    const { code = "unknown", responseCode = "" } = error as {
      code?: string;
      responseCode?: number;
    };
    throw new Error(`The mail server rejected the message (${`${code} ${responseCode}`.trim()}).`);
  } finally {
    transport.close();
  }
}

/** Removes line breaks, because a line break in a header value would start a new header. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ").trim();
}
