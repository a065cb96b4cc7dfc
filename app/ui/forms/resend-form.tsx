import { Form, useLocation } from "@remix-run/react";
import { Button } from "../button";

/** The fields that users don't fill in. */
const TECHNICAL = /^(?:intent|do|version|selected|batch|shown|expected.*|id|.+Id)$/;

/**
 * Shows the values of a form that was rejected because the session had ended. The user can sign in again in another tab
 * and then resend the form.
 */
export function ResendForm({ fields }: { fields: readonly (readonly [string, string])[] }) {
  const { pathname, search } = useLocation();
  return (
    <Form method="post" action={pathname + search} reloadDocument className="flex flex-col gap-4">
      {fields.map(([name, value], index) => (
        <input key={index} type="hidden" name={name} value={value} />
      ))}
      <EnteredTexts fields={fields.filter(([name]) => !TECHNICAL.test(name))} />
      <div>
        <Button variant="secondary">Send again</Button>
      </div>
    </Form>
  );
}

/** Lists the entered values so that the user can at least copy them. Renders nothing if all values are empty. */
export function EnteredTexts({ fields }: { fields: readonly (readonly [string, string])[] }) {
  const entered = fields.filter(([, value]) => value !== "");
  if (entered.length === 0) return null;
  return (
    <dl className="grid gap-4 rounded-lg border border-line bg-surface p-5 text-left">
      {entered.map(([name, value], index) => (
        <div key={index}>
          <dt className="text-sm text-muted capitalize">{name}</dt>
          <dd dir="auto" className="break-words whitespace-pre-line">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
