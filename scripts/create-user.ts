// npm run create-user: makes an account for another admin.
import { createUser, generatePassword } from "~/features/accounts/users.server";
import { ask, askNewPassword } from "./ask";
import { requireSite } from "./require-site";
import { runScript } from "./run-script";

const USAGE = `npm run create-user -- [--email ADDRESS] [--generate]

Makes an account. What is not given is asked for; without a terminal it is read from standard input,
one line each: the e-mail address (unless --email), then the password (unless --generate).
  --email ADDRESS   whose account
  --generate        invent a password and print it`;

await runScript(
  USAGE,
  { email: { type: "string" }, generate: { type: "boolean" } },
  async ({ email, generate }) => {
    requireSite();
    const address = email ?? (await ask("E-mail"));
    const password = generate ? generatePassword() : await askNewPassword();
    await createUser(address, password);
    console.log(`There is now an account for ${address.trim()}.`);
    if (generate) console.log(`Its password is ${password}`);
  },
);
