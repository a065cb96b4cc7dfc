import { renderToString } from "react-dom/server";
import { expect, it } from "vitest";
import { StatusBadge } from "~/ui/badge";

it.each([
  ["published", "text-good"],
  ["review", "text-warn"],
  ["hidden", "text-muted"],
  ["anything else", "text-muted"],
])("shows the status %s in its color", (status, color) => {
  const html = renderToString(<StatusBadge status={status} />);
  expect(html).toContain(color);
  expect(html).toContain(status);
});
