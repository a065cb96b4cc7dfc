// @vitest-environment jsdom
import { Form, Link, useRevalidator } from "@remix-run/react";
import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { useFormResponse } from "~/ui/forms/use-form-response";
import { renderRoutes } from "./page";

let loads = 0;

function Page() {
  const response = useFormResponse<string>();
  const { revalidate } = useRevalidator();
  return (
    <>
      <p>Response: {response ?? "none"}</p>
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

test("keeps a form's response across a revalidation and drops it on navigation", async () => {
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
  await screen.findByText("Response: none");

  fireEvent.click(screen.getByText("Send"));
  await screen.findByText("Response: Mine is refused");

  const before = loads;
  fireEvent.click(screen.getByText("Refresh"));
  await expect.poll(() => loads).toBe(before + 1);
  // The second refresh ensures that the first one has been committed.
  fireEvent.click(screen.getByText("Refresh"));
  await expect.poll(() => loads).toBe(before + 2);
  screen.getByText("Response: Mine is refused");

  fireEvent.click(screen.getByText("Leave"));
  await screen.findByText("Response: none");
});
