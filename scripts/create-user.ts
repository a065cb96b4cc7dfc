// npm run create-user: creates an account for another admin.
import { createUser, generatePassword } from "~/features/accounts/users.server";
import { prompt, promptForPassword } from "./prompt";
import { requireSite } from "./require-site";
import { runScript } from "./run-script";

const USAGE = `npm run create-user -- [--email ADDRESS] [--generate]

Creates an account. Prompts for the missing values. Without a terminal, reads them from standard input,
one per line: the email address (without --email), then the password (without --generate).
  --email ADDRESS   the email address of the account
  --generate        generate a password and print it`;

await runScript(
  USAGE,
  { email: { type: "string" }, generate: { type: "boolean" } },
  async ({ email, generate }) => {
    requireSite();
    const address = email ?? (await prompt("Email"));
    const password = generate ? generatePassword() : await promptForPassword();
    await createUser(address, password);
    console.log(`Created an account for ${address.trim()}.`);
    if (generate) console.log(`Password: ${password}`);
  },
);
