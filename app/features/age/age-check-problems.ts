/** The reasons why an age check can fail, with the status code and message of the page that reports it. */
export const AGE_CHECK_PROBLEMS = {
  no: {
    status: 403,
    message:
      "The age check did not confirm that you are 18 or over, so you can’t watch the videos.",
  },
  away: {
    status: 503,
    message: "The age check service is unavailable at the moment. Try again in a minute.",
  },
  unfinished: { status: 400, message: "The age check wasn’t completed. Please try again." },
  late: { status: 400, message: "The age check took too long. Please try again." },
  wrong: {
    status: 400,
    message:
      "This result doesn’t belong to an age check started in this browser. Please try again.",
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type AgeCheckProblem = keyof typeof AGE_CHECK_PROBLEMS;
