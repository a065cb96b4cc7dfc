import { isLoopback } from "../loopback";

/** For each step of a conversation with the server. */
const MAX_MS = 10_000;

export interface Email {
  /** A mail program shows a second copy of it once. */
  id: string;
  subject: string;
  text: string;
}

/**
 * Sends a mail of plain text. Outside this machine the connection is encrypted, or nothing is sent.
 *
 * @param server smtp://user:password@host:port, or smtps://.
 * @throws an Error whose message is a sentence without what the server says, which may quote a secret.
 */
export async function sendEmail(
  server: string,
  { from, to }: { from: string; to: string },
  email: Email,
): Promise<void> {
  // Most sites never send one: with a first connection it takes 17 MB of memory.
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
    throw new Error(`The mail server did not take it (${`${code} ${responseCode}`.trim()}).`);
  } finally {
    transport.close();
  }
}

/** A line break would begin another header. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ").trim();
}
