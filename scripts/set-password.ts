// npm run set-password: sets a new password for an admin who has forgotten it or lost the second factor.

import { listPasskeys, removePasskeys } from "~/features/accounts/passkeys/passkeys.server";
import { removeSecondFactor } from "~/features/accounts/second-factor.server";
import { findUserByEmail, generatePassword, setPassword } from "~/features/accounts/users.server";
import { FormError } from "~/platform/form-error.server";
import { transaction } from "~db/client.server";
import { prompt, promptForPassword } from "./prompt";
import { runScript } from "./run-script";

const USAGE = `npm run set-password -- [--email ADDRESS] [--generate] [--remove-second-factor]
                            [--remove-passkeys]

Sets a new password for an account, ends its sessions and revokes its API tokens. Prompts for the missing
values. Without a terminal, reads them from standard input, one per line: the email address (without
--email), then the password (without --generate).
  --email ADDRESS          the account
  --generate               generate a password and print it
  --remove-second-factor   turn off two-factor authentication for the account
  --remove-passkeys        remove the account's passkeys, for example after losing a device`;

await runScript(
  USAGE,
  {
    email: { type: "string" },
    generate: { type: "boolean" },
    "remove-second-factor": { type: "boolean" },
    "remove-passkeys": { type: "boolean" },
  },
  async ({
    email,
    generate,
    "remove-second-factor": removeFactor,
    "remove-passkeys": removeKeys,
  }) => {
    const address = (email ?? (await prompt("Email"))).trim();
    const user = await findUserByEmail(address);
    if (!user) throw new FormError(404, `There is no account for ${address}.`);
    const password = generate ? generatePassword() : await promptForPassword();
    const entry = { userId: null, action: "password-reset", detail: user.email } as const;
    await setPassword(user.id, password, entry, { event: "password-reset" });
    if (removeFactor) await transaction(() => removeSecondFactor(user.id));
    const passkeys = await listPasskeys(user.id);
    if (removeKeys) await removePasskeys(user.id);
    console.log(
      `Changed the password of ${user.email}. Ended all sessions and revoked all API tokens.`,
    );
    if (generate) console.log(`Password: ${password}`);
    if (removeFactor) console.log("Two-factor authentication is off.");
    else if (user.totp_enabled_at) {
      console.log(
        "Two-factor authentication is still on. To turn it off, use --remove-second-factor.",
      );
    }
    if (passkeys.length > 0) {
      console.log(
        removeKeys
          ? "Removed all passkeys."
          : "Passkeys still work. To remove them, use --remove-passkeys.",
      );
    }
  },
);
