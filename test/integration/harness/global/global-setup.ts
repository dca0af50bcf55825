import { ensureBinaries } from '../../../../hack/control-planes/binaries/binaries.ts';
import { startControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import { ensureGardener } from '../../../../hack/control-planes/gardener/binary.ts';
import { HELM_MAJORS } from '../../../../hack/helm/helm.ts';
import { installBtpKinds } from '../../../environment/btp-kinds.ts';
import { noHelmBecause } from '../../../environment/helm.ts';
import { infrastructureManagerCrds, installCrds, packageCrds } from '../../../environment/install-crds.ts';
import { servePostgres } from '../../../environment/postgres/shared-postgres.ts';
import { serveBtpPlanes } from '../btp/btp-plane-service.ts';
import { publishAddresses } from '../control-planes/addresses.ts';
import { serveGarden } from '../gardener/garden-service.ts';
import { keepForTeardown } from './teardown-registry.ts';

/**
 * Provides what the tests share, once per run: Helm, control planes with the CRDs of the package, of the infrastructure manager
 * and of the BTP service operator; for tests that ask for them a garden, and control planes with the SAP BTP service operator.
 * Jest calls it in its main process before the first worker.
 */
export default async function globalSetup(): Promise<void> {
  const report = (line: string) => process.stderr.write(`control planes: ${line}\n`);
  const binaries = await ensureBinaries({ report });
  const gardenerBinary = await ensureGardener({ report });
  // In the set-up of a test, a build would exceed the time limit. If there is no Helm, the tests that need it say why.
  for (const major of HELM_MAJORS) await noHelmBecause(major);
  // Not before: a build from Go modules uses all processors.
  spareProcessors();
  const [management, kyma] = await Promise.all([
    startControlPlane({ name: 'management', binaries }),
    startControlPlane({ name: 'kyma', binaries }),
  ]);
  const garden = await serveGarden({ binaries, gardenerBinary });
  const btpPlanes = await serveBtpPlanes(binaries);
  const postgres = await servePostgres();
  keepForTeardown([management, kyma, garden, btpPlanes, postgres]);
  await Promise.all([
    installCrds(management, [...(await packageCrds()), ...(await infrastructureManagerCrds())]),
    installBtpKinds(management),
    installBtpKinds(kyma),
  ]);
  const address = ({ name, server, directory }: typeof management) => ({ name, server, directory });
  publishAddresses({ management: address(management), kyma: address(kyma) });
}

/**
 * A seventh of an API server's CPU time was garbage collection with Go's defaults, and an eighth of that of its start the exchange
 * of work between threads: there are more servers than processors. All servers of the run inherit this, also those that tests start.
 * Long campaigns run alone: there an API server of one processor would serve tenants one after the other, and only this would be measured.
 */
function spareProcessors(): void {
  if (process.env.FAULTS_RUNS === undefined) process.env.GOMAXPROCS ??= '1';
  process.env.GOGC ??= '400';
  process.env.GOMEMLIMIT ??= '1500MiB';
}
