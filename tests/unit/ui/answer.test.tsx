// @vitest-environment jsdom
import { Form, Link, useRevalidator } from "@remix-run/react";
import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { renderRoutes } from "./page";

let loads = 0;

function Page() {
  const answer = useFormResponse<string>();
  const { revalidate } = useRevalidator();
  return (
    <>
      <p>Answer: {answer ?? "none"}</p>
      <Form method="post">
        <input name="text" defaultValue="Mine" />
        <button type="submit">Send</button>
      </Form>
      <button type="button" onClick={revalidate}>
        Refresh
      </button>
      <Link to="/?elsewhere">Leave</Link>
    </>
  );
}

test("an answer outlives a refresh of the page, and ends when the page is left", async () => {
  renderRoutes([
    {
      path: "/",
      Component: Page,
      loader: () => {
        loads += 1;
        return null;
      },
      action: async ({ request }) =>
        `${new URLSearchParams(await request.text()).get("text")} is refused`,
    },
  ]);
  await screen.findByText("Answer: none");

  fireEvent.click(screen.getByText("Send"));
  await screen.findByText("Answer: Mine is refused");

  const before = loads;
  fireEvent.click(screen.getByText("Refresh"));
  await expect.poll(() => loads).toBe(before + 1);
  // Once more, so that the first refresh has been committed.
  fireEvent.click(screen.getByText("Refresh"));
  await expect.poll(() => loads).toBe(before + 2);
  screen.getByText("Answer: Mine is refused");

  fireEvent.click(screen.getByText("Leave"));
  await screen.findByText("Answer: none");
});
