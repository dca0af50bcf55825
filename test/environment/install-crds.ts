import { glob, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { ControlPlaneAccess } from '../../hack/control-planes/access/access.ts';
import { eventually } from './eventually.ts';

const root = new URL('../../', import.meta.url);

export interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
  };
}

/** The CRDs of the package, as users install them. */
export const packageCrds = (): Promise<Crd[]> => readCrds('package/crds/*.yaml');

/** The CRDs of the SAP BTP service operator, which the package does not contain. */
export const btpCrds = (): Promise<Crd[]> => readCrds('package/btp/chart/files/crds/*.yaml');

/** The CRDs of the infrastructure manager, which the package does not contain either. */
export const infrastructureManagerCrds = (): Promise<Crd[]> =>
  readCrds('package/infrastructure-manager/chart/files/crds/*.yaml');

/** The CRDs of the module reconciler, which the package does not contain either. */
export const reconcilerCrds = (): Promise<Crd[]> => readCrds('package/reconciler/chart/files/crds/*.yaml');

async function readCrds(pattern: string): Promise<Crd[]> {
  const crds: Crd[] = [];
  for await (const path of glob(pattern, { cwd: root })) {
    crds.push(parse(await readFile(new URL(path, root), 'utf8')));
  }
  return crds;
}

/**
 * Installs CRDs as `kubectl apply --server-side` does and waits until their kinds are served. Several test files may do
 * so concurrently. Returns the CRDs as the API server has them.
 */
export async function installCrds(
  plane: Pick<ControlPlaneAccess, 'request'>,
  crds: readonly unknown[],
): Promise<unknown[]> {
  return Promise.all((crds as readonly Crd[]).map((crd) => installCrd(plane, crd)));
}

async function installCrd(plane: Pick<ControlPlaneAccess, 'request'>, crd: Crd): Promise<unknown> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
  const applied = await plane.request(`${path}?fieldManager=tests&force=true&fieldValidation=Strict`, {
    method: 'PATCH',
    contentType: 'application/apply-patch+yaml',
    body: crd,
  });
  if (applied.status >= 300) {
    throw new Error(`cannot apply CRD ${crd.metadata.name}: ${JSON.stringify(applied.body)}`);
  }
  return eventually(async () => {
    const { body } = await plane.request(path);
    const { status } = body as { status?: { conditions?: { type: string; status: string }[] } };
    const established = status?.conditions?.find(({ type }) => type === 'Established')?.status;
    if (established !== 'True') throw new Error(`CRD ${crd.metadata.name} is not established`);
    await listable(plane, crd);
    return body;
  });
}

/** Right after Established, lists can return 429. */
async function listable(
  plane: Pick<ControlPlaneAccess, 'request'>,
  { spec }: Crd & { spec: { versions?: { name: string }[] } },
) {
  const version = spec.versions?.[0]?.name;
  const { status } = await plane.request(`/apis/${spec.group}/${version}/${spec.names.plural}?limit=1`);
  if (status !== 200) throw new Error(`${spec.names.plural} cannot be listed yet (${status})`);
}

/** Deletes CRDs as kubectl does, concurrently and with all their objects, and waits until they are gone. */
export async function removeCrds(
  plane: Pick<ControlPlaneAccess, 'request'>,
  crds: readonly Crd[],
  timeoutMs?: number,
): Promise<void> {
  const path = (crd: Crd) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
  await Promise.all(crds.map((crd) => plane.request(path(crd), { method: 'DELETE' })));
  await eventually(
    async () => {
      const found = await Promise.all(crds.map((crd) => plane.request(path(crd))));
      const left = crds.filter((_, index) => found[index]?.status !== 404);
      if (left.length > 0)
        throw new Error(`there is still ${left.map(({ metadata }) => metadata.name).join(', ')}`);
    },
    { timeoutMs },
  );
}
