import { decrypt, encrypt } from "~/platform/secret-box.server";

const REPORT = "report";
const MESSAGE = "report message";
const DECISION = "uploader decision";

/** Everything that a reporter typed. */
export interface ReportBox {
  /** Empty if none was given, like `email`. */
  name: string;
  email: string;
  /** The addresses as they were typed. */
  where: string;
  what: string;
  /** The sentences that were ticked, word for word. */
  statements: string[];
}

/** What can't be read with the secrets that are listed: an older one has to be listed again. */
export const UNREADABLE = "unreadable";

export function sealReport(box: ReportBox): string {
  return encrypt(REPORT, JSON.stringify(box));
}

export function openReport(box: string): ReportBox | typeof UNREADABLE {
  const text = decrypt(REPORT, box);
  return text === undefined ? UNREADABLE : (JSON.parse(text) as ReportBox);
}

export function sealMessage(text: string): string {
  return encrypt(MESSAGE, text);
}

/** Undefined when it can't be read with the secrets that are listed. */
export function openMessage(box: string): string | undefined {
  return decrypt(MESSAGE, box);
}

/** What an uploader reads of a decision about a video of theirs. */
export interface DecisionBox {
  /** Of the video, which may be gone. */
  title: string;
  reason: string;
}

export function sealDecision(box: DecisionBox): string {
  return encrypt(DECISION, JSON.stringify(box));
}

/** Undefined when it can't be read with the secrets that are listed. */
export function openDecision(box: string): DecisionBox | undefined {
  const text = decrypt(DECISION, box);
  return text === undefined ? undefined : (JSON.parse(text) as DecisionBox);
}
