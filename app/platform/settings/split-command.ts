/**
 * Splits a command line into words at whitespace. Whitespace in single or double quotes doesn't split a word. A word
 * may be quoted only in part. No other characters have a special meaning. Variables and patterns aren't expanded,
 * because there is no shell.
 *
 * @returns undefined if there are no words or a quote isn't closed.
 */
export function splitCommand(line: string): [string, ...string[]] | undefined {
  if (!/^(?:[^"']|"[^"]*"|'[^']*')*$/.test(line)) return undefined;
  const words = (line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_, double?: string, single?: string) => double ?? single ?? "",
    ),
  );
  const [command, ...args] = words;
  return command ? [command, ...args] : undefined;
}
