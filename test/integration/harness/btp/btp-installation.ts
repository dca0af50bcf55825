/** The chart of the SAP BTP service operator on a control plane. It has no nodes: tests run what the pods would. */

import type { ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';
import { createAuthority } from '../../../../hack/control-planes/access/authority.ts';
import type { ConfigMap, Secret } from '../../../../internal/framework/kube/object/object.ts';
import {
  configMaps,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../../environment/eventually.ts';
import { BTP_CHART, type Helm, openHelm } from '../../../environment/helm.ts';
import { objectsOf } from '../../../environment/objects.ts';
import { type BtpAccounts, btpAccounts, OPERATOR_ACCOUNT } from './btp-accounts.ts';

export interface BtpInstallation extends BtpAccounts {
  readonly helm: Helm;
  /** `helm upgrade`; values of earlier calls are kept. */
  upgrade(manager: object, cluster?: object): Promise<string>;
  uninstall(): Promise<string>;
  /** What the pods get from the ConfigMap and the Secret with the cluster ID. */
  podEnvironment(): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

export interface BtpInstallationOptions {
  readonly plane: ControlPlaneAccess;
  /** Must exist. */
  readonly namespace: string;
  /** Credentials of Service Manager. */
  readonly secret: Readonly<Record<string, string>>;
  /** Values `manager.*`. */
  readonly manager?: object;
  readonly cluster?: object;
}

const RELEASE = 'btp';

const webhookConfigurations: readonly ResourceType[] = ['Mutating', 'Validating'].map((type) => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: `${type}WebhookConfiguration`,
  plural: `${type.toLowerCase()}webhookconfigurations`,
  namespaced: false,
}));

/** Installs the chart. Its webhooks are removed, because no Service reaches a process of a test. */
export async function installBtpChart(options: BtpInstallationOptions): Promise<BtpInstallation> {
  const { plane, namespace, secret } = options;
  const objects = objectsOf(plane);
  const helm = await openHelm({ kubeconfigPath: plane.kubeconfigPath });
  const authority = await createAuthority('webhooks');
  const pair = await authority.issueServer(['127.0.0.1']);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const { clientid, clientsecret, sm_url, tokenurl, tokenurlsuffix } = secret;
  let manager: object = {
    image: { repository: 'registry.example.org/org/provider-kyma' },
    secret: { clientid, clientsecret, sm_url, tokenurl, tokenurlsuffix },
    certificates: {
      selfSigned: {
        caBundle: base64(authority.certificate),
        crt: base64(pair.certificate),
        key: base64(pair.key),
      },
    },
    ...options.manager,
  };
  let cluster = options.cluster ?? {};
  const upgrade: BtpInstallation['upgrade'] = async (moreManager, moreCluster = {}) => {
    manager = { ...manager, ...moreManager };
    cluster = { ...cluster, ...moreCluster };
    const out = await helm.run(['upgrade', '--install', RELEASE, BTP_CHART, '-n', namespace], {
      manager,
      cluster,
    });
    for (const type of webhookConfigurations)
      await objects.delete(type, {
        name: `sap-btp-operator-${type.kind.slice(0, -20).toLowerCase()}-webhook-configuration`,
      });
    return out;
  };
  await upgrade({});
  const accounts = btpAccounts(plane, namespace);
  await eventually(async () => {
    const body = {
      spec: {
        user: accounts.userOf(OPERATOR_ACCOUNT),
        resourceAttributes: {
          namespace,
          verb: 'update',
          group: 'services.cloud.sap.com',
          resource: 'serviceinstances',
        },
      },
    };
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    const review = (await plane.request(path, { method: 'POST', body })).body as {
      status?: { allowed?: boolean };
    };
    if (review.status?.allowed !== true) throw new Error('the roles of the chart have no effect yet');
  });
  return {
    ...accounts,
    helm,
    upgrade,
    uninstall: () => helm.run(['uninstall', RELEASE, '-n', namespace, '--timeout', '2m']),
    podEnvironment: async () => {
      const config = await objects.get<ConfigMap>(configMaps, { namespace, name: 'sap-btp-operator-config' });
      const first = await objects.find<Secret>(secrets, { namespace, name: 'sap-btp-operator-clusterid' });
      const decoded = Object.entries(first?.data ?? {}).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64').toString(),
      ]);
      return { ...config.data, ...Object.fromEntries(decoded), POD_NAMESPACE: namespace };
    },
    close: () => helm.close(),
  };
}
