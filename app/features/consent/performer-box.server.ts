import { recordsSecrets } from "~/platform/secret.server";
import { decrypt, encrypt } from "~/platform/secret-box.server";

/** What of a performer stands encrypted in the database. */
export interface PerformerBox {
  legalName: string;
  /** YYYY-MM-DD */
  dateOfBirth: string;
}

const PURPOSE = "performer";

export function sealBox(box: PerformerBox): string {
  return encrypt(PURPOSE, JSON.stringify(box), recordsSecrets());
}

/** Undefined when no secret that is known encrypted it. */
export function openBox(box: string): PerformerBox | undefined {
  const text = decrypt(PURPOSE, box, recordsSecrets());
  return text === undefined ? undefined : (JSON.parse(text) as PerformerBox);
}
