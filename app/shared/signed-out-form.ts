/** The response to a form that was sent after the session had ended. */
export interface SignedOutForm {
  /** The reason the form was rejected. */
  message: string;
  /** The entered values, so that the user can send them again. Empty for forms with passwords or files. */
  fields: [name: string, value: string][];
}

/** Whether an error response is the response to a form whose session has ended. */
export function isSignedOutForm(data: unknown): data is SignedOutForm {
  return typeof data === "object" && data !== null && "fields" in data && "message" in data;
}
