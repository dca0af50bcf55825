/** A control plane on which the SAP BTP service operator is installed, used by one test file after the other. */
import type {
  ControlPlaneAccess,
  ControlPlaneAddress,
} from '../../../../hack/control-planes/access/access.ts';
import type { Binaries } from '../../../../hack/control-planes/binaries/binaries.ts';
import { startControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import {
  apiVersionOf,
  configMaps,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import { noHelmBecause } from '../../../environment/helm.ts';
import { btpCrds, installCrds } from '../../../environment/install-crds.ts';
import { namespaceManifest, secretManifest } from '../../../environment/manifests.ts';
import { objectsOf } from '../../../environment/objects.ts';
import { installBtpChart } from './btp-installation.ts';

export const RELEASE_NAMESPACE = 'release';
/** The Secret with the credentials of Service Manager in the release namespace. */
export const DEFAULT_CREDENTIALS = 'sap-btp-service-operator';

/** Plain data, so that Jest's main process can start the control plane and its workers use it. */
export interface BtpPlane {
  readonly address: ControlPlaneAddress;
  /** Whether the chart is installed. Without Helm only the CRDs are, and the operator runs as an admin. */
  readonly hasChart: boolean;
  /** Secrets and ConfigMaps of the release namespace after the installation. */
  readonly kept: readonly KubeObject[];
}

export interface StartedBtpPlane extends BtpPlane {
  stop(): Promise<void>;
}

/** Replaced by those of the simulator of each test file. */
const nobodysCredentials = {
  clientid: 'nobody',
  clientsecret: 'secret',
  sm_url: 'https://service-manager.invalid',
  tokenurl: 'https://tokens.invalid',
  tokenurlsuffix: '/oauth/token',
};

export async function startBtpPlane(name: string, binaries: Binaries): Promise<StartedBtpPlane> {
  const plane = await startControlPlane({ name, binaries });
  try {
    const objects = objectsOf(plane);
    await objects.apply(namespaces, namespaceManifest(RELEASE_NAMESPACE));
    const hasChart = (await noHelmBecause()) === undefined;
    await (hasChart ? installChart(plane) : installWithoutChart(plane));
    const listed = async (type: ResourceType) =>
      (await objects.list(type, RELEASE_NAMESPACE)).map((each) => ({
        ...each,
        apiVersion: apiVersionOf(type),
        kind: type.kind,
      }));
    const kept = [...(await listed(secrets)), ...(await listed(configMaps))];
    const { server, directory } = plane;
    return { address: { name, server, directory }, hasChart, kept, stop: plane.stop };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

async function installChart(plane: ControlPlaneAccess): Promise<void> {
  const installation = await installBtpChart({
    plane,
    namespace: RELEASE_NAMESPACE,
    secret: nobodysCredentials,
    cluster: { id: 'cluster-1' },
  });
  await installation.close();
}

async function installWithoutChart(plane: ControlPlaneAccess): Promise<void> {
  await installCrds(plane, await btpCrds());
  const key = { namespace: RELEASE_NAMESPACE, name: DEFAULT_CREDENTIALS };
  await objectsOf(plane).apply(secrets, secretManifest(key, nobodysCredentials));
}
