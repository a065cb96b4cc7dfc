/** What the server answers to a form after the session of its sender has ended. */
export interface SignedOutForm {
  /** Why the form was not accepted. */
  message: string;
  /** What was entered, to be sent again; empty for forms with passwords or files. */
  fields: [name: string, value: string][];
}

/** Whether the data of an error response are those of a form whose sender is signed out. */
export function isSignedOutForm(data: unknown): data is SignedOutForm {
  return typeof data === "object" && data !== null && "fields" in data && "message" in data;
}
