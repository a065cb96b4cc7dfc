const SUM = /^What is (\w+) plus (\w+)\?$/;
const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
/** Returns the answer to a question on the report form. */
export function solvePuzzle(question: string): string {
  const [, a = "", b = ""] = SUM.exec(question) ?? [];
  return String(NUMBERS.indexOf(a) + NUMBERS.indexOf(b) + 2);
}
