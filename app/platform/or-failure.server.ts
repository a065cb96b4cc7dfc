import { isBusy } from "~db/write-lock";
import { BUSY, type Failure, failure, TRY_AGAIN } from "./failure";

/**
 * Performs a form's action. If the database is busy or an unexpected error occurs, returns a failure with the
 * appropriate message.
 */
export async function orFailure<Outcome>(
  work: () => Promise<Outcome>,
  { busy, failed }: { busy: string; failed: string },
): Promise<Outcome | Failure> {
  try {
    return await work();
  } catch (error) {
    if (isBusy(error)) return failure(503, busy, { detail: BUSY });
    console.error(error);
    return failure(500, failed, { detail: TRY_AGAIN });
  }
}
