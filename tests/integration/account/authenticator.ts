import {
  createHash,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

/** Authenticator data flags (https://www.w3.org/TR/webauthn-3/#authdata-flags). */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const CREDENTIAL_INCLUDED = 0x40;

interface ChallengeOptions {
  challenge: string;
  rpId?: string;
  rp?: { id?: string };
  user?: { id: string };
}

/** Faults that an authenticator or a browser can have. */
interface Faults {
  origin?: string;
  isVerified?: boolean;
  counter?: number;
  userHandle?: string;
  signWith?: KeyObject;
}

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64url");
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest();

/** An authenticator with one passkey (ES256), and the browser that uses it. */
export class Authenticator {
  id = base64url(randomBytes(16));
  private keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  private userHandle = "";
  private counter = 0;

  constructor(private origin: string) {}

  /** Returns the result of navigator.credentials.create() as JSON. */
  create({ challenge, rp, user }: ChallengeOptions, faults: Faults = {}): string {
    this.userHandle = user!.id;
    const { x = "", y = "" } = this.keys.publicKey.export({ format: "jwk" });
    const coseKey = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, "base64url"))],
        [-3, new Uint8Array(Buffer.from(y, "base64url"))],
      ]),
    );
    const id = Buffer.from(this.id, "base64url");
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey]);
    const authData = this.data(rp!.id!, CREDENTIAL_INCLUDED, faults);
    const attestationObject = isoCBOR.encode(
      new Map<string, string | Uint8Array | Map<never, never>>([
        ["fmt", "none"],
        ["attStmt", new Map<never, never>()],
        ["authData", new Uint8Array(Buffer.concat([authData, credential]))],
      ]),
    );
    return this.toJson({
      clientDataJSON: this.clientData("webauthn.create", challenge, faults),
      attestationObject: base64url(attestationObject),
    });
  }

  /** Returns the result of navigator.credentials.get() as JSON. */
  get({ challenge, rpId }: ChallengeOptions, faults: Faults = {}): string {
    const authData = this.data(rpId!, 0, { ...faults, counter: faults.counter ?? ++this.counter });
    const clientDataJSON = this.clientData("webauthn.get", challenge, faults);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    return this.toJson({
      clientDataJSON,
      authenticatorData: base64url(authData),
      signature: createSign("sha256")
        .update(signed)
        .sign(faults.signWith ?? this.keys.privateKey, "base64url"),
      userHandle: faults.userHandle ?? this.userHandle,
    });
  }

  private data(rpId: string, flags: number, { isVerified = true, counter = 0 }: Faults): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const all = flags | USER_PRESENT | (isVerified ? USER_VERIFIED : 0);
    return Buffer.concat([sha256(rpId), Buffer.from([all]), count]);
  }

  private clientData(type: string, challenge: string, { origin = this.origin }: Faults): string {
    return base64url(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  private toJson(response: Record<string, string>): string {
    const { id } = this;
    return JSON.stringify({
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response,
    });
  }
}
