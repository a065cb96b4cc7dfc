import { type LockedPackage, lockedPackages } from "./packages";

/**
 * What the site is made of, as CycloneDX 1.6 has it. The same lock file gives the same bytes: without a time
 * and a serial number, which the format leaves open.
 */
export function sbomDocument(
  site: {
    name: string;
    version: string;
    license: string;
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  },
  packages: readonly LockedPackage[] = lockedPackages(),
) {
  const installed = new Map(packages.map((one) => [one.where, one]));
  const root = `pkg:npm/${site.name}@${site.version}`;
  const components = new Map<string, object>();
  const uses = new Map<string, Set<string>>();
  for (const one of packages) {
    const reference = purl(one);
    const isNeeded = packages.some((other) => purl(other) === reference && !other.isDevelopment);
    components.set(reference, {
      type: "library",
      "bom-ref": reference,
      name: one.name,
      version: one.version,
      purl: reference,
      scope: isNeeded ? (one.isOptional ? "optional" : "required") : "excluded",
      licenses: [{ expression: one.license.replace(/^\((.*)\)$/, "$1") }],
      ...(one.integrity && { hashes: [{ alg: "SHA-512", content: hexOf(one.integrity) }] }),
    });
    const known = uses.get(reference) ?? new Set<string>();
    for (const name of one.uses) {
      const found = resolve(name, one.where, installed);
      if (found) known.add(purl(found));
    }
    uses.set(reference, known);
  }
  const direct = Object.keys({ ...site.dependencies, ...site.devDependencies }).flatMap(
    (name) => installed.get(`node_modules/${name}`) ?? [],
  );
  uses.set(root, new Set(direct.map(purl)));
  const inOrder = (a: string, b: string) => (a < b ? -1 : 1);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": root,
        name: site.name,
        version: site.version,
        licenses: [{ expression: site.license }],
      },
    },
    components: [...components].sort(([a], [b]) => inOrder(a, b)).map(([, one]) => one),
    dependencies: [...uses]
      .sort(([a], [b]) => inOrder(a, b))
      .map(([ref, names]) => ({ ref, dependsOn: [...names].sort(inOrder) })),
  };
}

/** https://github.com/package-url/purl-spec: the at sign of a scope is escaped. */
function purl({ name, version }: Pick<LockedPackage, "name" | "version">): string {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
}

/** As Node finds a package: in the folder of who asks, then in those above. */
function resolve(
  name: string,
  from: string,
  installed: ReadonlyMap<string, LockedPackage>,
): LockedPackage | undefined {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, "")) {
    const found = installed.get(folder ? `${folder}/node_modules/${name}` : `node_modules/${name}`);
    if (found || folder === "") return found;
  }
}
