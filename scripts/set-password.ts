// npm run set-password: for an admin who has forgotten the password or lost the second factor.

import { listPasskeys, removePasskeys } from "~/features/accounts/passkeys/passkeys.server";
import { removeSecondFactor } from "~/features/accounts/second-factor.server";
import { findUserByEmail, generatePassword, setPassword } from "~/features/accounts/users.server";
import { FormError } from "~/platform/form-error.server";
import { transaction } from "~db/client.server";
import { ask, askNewPassword } from "./ask";
import { runScript } from "./run-script";

const USAGE = `npm run set-password -- [--email ADDRESS] [--generate] [--remove-second-factor]
                            [--remove-passkeys]

Gives an account a new password, and ends its sessions and tokens. What is not given is asked for; without a
terminal it is read from standard input, one line each: the e-mail address (unless --email), then the
password (unless --generate).
  --email ADDRESS          whose account
  --generate               invent a password and print it
  --remove-second-factor   also let the account sign in without a code from now on
  --remove-passkeys        also forget the passkeys of the account, such as those of a lost device`;

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
    const address = (email ?? (await ask("E-mail"))).trim();
    const user = await findUserByEmail(address);
    if (!user) throw new FormError(404, `There is no account for ${address}.`);
    const password = generate ? generatePassword() : await askNewPassword();
    const entry = { userId: null, action: "password-reset", detail: user.email } as const;
    await setPassword(user.id, password, entry, { event: "password-reset" });
    if (removeFactor) await transaction(() => removeSecondFactor(user.id));
    const passkeys = await listPasskeys(user.id);
    if (removeKeys) await removePasskeys(user.id);
    console.log(
      `The password of ${user.email} is changed. Its sessions have ended and its API tokens are revoked.`,
    );
    if (generate) console.log(`It is ${password}`);
    if (removeFactor) console.log("It signs in without a second factor.");
    else if (user.totp_enabled_at) {
      console.log("Its second factor is still asked for; --remove-second-factor takes it away.");
    }
    if (passkeys.length > 0) {
      console.log(
        removeKeys
          ? "Its passkeys are removed."
          : "Its passkeys still sign in; --remove-passkeys takes them away.",
      );
    }
  },
);
