/** Why a check of somebody's age came to nothing, with the status of the page and what it says. */
export const AGE_CHECK_PROBLEMS = {
  no: {
    status: 403,
    message: "The check did not find that you are 18 or over. The videos stay closed to you.",
  },
  away: {
    status: 503,
    message: "The service that checks ages cannot be reached at the moment. Try again in a minute.",
  },
  unfinished: { status: 400, message: "The check was not finished." },
  late: { status: 400, message: "The answer of the check came too late. Please do it again." },
  wrong: {
    status: 400,
    message: "That answer does not belong to a check begun in this browser. Please do it again.",
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type AgeCheckProblem = keyof typeof AGE_CHECK_PROBLEMS;
