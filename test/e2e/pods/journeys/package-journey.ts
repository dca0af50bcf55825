import { installBtpKinds } from '../../../environment/btp-kinds.ts';
import { tool } from '../../../environment/tool.ts';
import { type Step, until } from '../../e2e-context.ts';
import { hold } from '../../hold.ts';
import { source } from '../../steps/sources.ts';
import { leader, untilAnotherLeads } from '../faults/provider-pods.ts';
import { podsContext } from '../pods-context.ts';
import type { PodsOptions } from '../pods-options.ts';
import type { Clone } from './clone.ts';
import { editRuntimeConfig, putDatabase } from './user-environment.ts';

const PAGE = 'docs/install.md';
const REFERENCE = 'registry.example.org/org/provider-kyma';
const PROVIDER = 'provider.pkg.crossplane.io/provider-kyma';
const MAPPINGS = 'kymainstancemappings.inventory.hana.orchestrate.cloud.sap';
/** Of examples/cluster/kymainstancemapping/remote.yaml. */
const REMOTE = 'orders-db-checkout';

const kubectl = (...args: string[]) => tool('kubectl', args);
const untilReady = (name: string) =>
  kubectl('wait', MAPPINGS, name, '--for=condition=Ready', '--for=condition=Synced', '--timeout=5m');

/** What the page says to look at. */
const LOG = 'kubectl -n crossplane-system logs -l pkg.crossplane.io/provider=provider-kyma';

/** The package with a module for which the rights are missing. */
export const missingRightsJourney = (clone: () => Clone): readonly Step<PodsOptions>[] => [
  {
    title:
      'docs/install.md: while rights are missing the package is not Healthy, and the log of its pod names them',
    run: async (options) => {
      const crds = `--filename=${options.directory}/clone/package/btp/chart/files/crds`;
      await kubectl('apply', '--server-side', crds);
      await options.cluster.addPackage({
        version: '0.1.0',
        directory: `${options.directory}/package-0.1.0`,
        reference: `${REFERENCE}:v0.1.0`,
      });
      await editRuntimeConfig(options, clone(), {
        args: ['--controllers=config,inventory,btp'],
        env: { CLUSTER_ID: source.clusterID, RELEASE_NAMESPACE: 'default' },
      });
      await clone().follow(PAGE, 'kubectl apply -f examples/provider/provider.yaml', {
        only: /^kubectl apply/,
      });
      hold((await clone().read(PAGE)).includes(LOG), `the page has not ${LOG}`);
      await until(async () => {
        const log = await tool('bash', ['-c', LOG]);
        hold(/serviceinstances.*forbidden/.test(log), `the log is ${log}`);
      });
      const path = '--output=jsonpath={.status.conditions[?(@.type=="Healthy")].status}';
      const healthy = await kubectl('get', PROVIDER, path);
      hold(healthy !== 'True', 'the Provider is Healthy');
      await kubectl('delete', PROVIDER, '--timeout=5m');
      await kubectl('delete', crds, '--timeout=5m');
      // The page waits for each pod with this label, also for one that is about to go.
      const label = '--selector=pkg.crossplane.io/provider=provider-kyma';
      await until(async () => {
        const pods = await kubectl('get', 'pods', '--namespace=crossplane-system', label, '--output=name');
        hold(pods.trim() === '', `pods are left: ${pods}`);
      });
    },
  },
];

/** The package is installed. */
export const installJourney = (clone: () => Clone): readonly Step<PodsOptions>[] => [
  {
    title: 'docs/install.md: the package is installed',
    run: async (options) => {
      for (const version of ['0.1.0', '0.2.0']) {
        const directory = `${options.directory}/package-${version}`;
        await options.cluster.addPackage({ version, directory, reference: `${REFERENCE}:v${version}` });
      }
      await editRuntimeConfig(options, clone());
      await clone().follow(PAGE, 'kubectl apply -f examples/provider/provider.yaml');
    },
  },
];

/** The package, which is installed, is used with local and remote input objects, and upgraded. */
export const packageJourney = (clone: () => Clone): readonly Step<PodsOptions>[] => [
  {
    title: 'docs/install.md: a mapping with local input objects is Ready, and doctor in the pod says so',
    run: async (options) => {
      await installBtpKinds((await podsContext(options)).management);
      await putDatabase(options, 'hana', 'hana-admin');
      const manifest = await clone().block(PAGE, 'yaml', 'kind: KymaInstanceMapping');
      await tool('kubectl', ['apply', '--filename', '-'], { input: manifest });
      await untilReady('shop');
      const inPod = /^kubectl -n crossplane-system exec/;
      const report = await clone().follow(PAGE, 'provider-kyma doctor shop -o json', { only: inPod });
      hold(report.includes('every check succeeds'), `doctor says ${report}`);
    },
  },
  {
    title: 'examples: a mapping with input objects on another cluster is Ready',
    run: async (options) => {
      await putDatabase(options, 'orders-db', 'orders-db-admin');
      const rights = 'examples/kyma-cluster/rbac.yaml';
      await kubectl('apply', '--filename', `${options.directory}/clone/${rights}`);
      await until(async () => {
        const token = await kubectl(
          'get',
          'secret',
          'provider-kyma-token',
          '-n=shop',
          '-o=jsonpath={.data.token}',
        );
        if (token === '') throw new Error('the Secret has no token yet');
      });
      await clone().followComment(rights, { only: /^kubectl/ });
      // The other cluster is this one, and pods reach it at another address than the user.
      const kubeconfig = `--kubeconfig=${options.directory}/clone/kyma.yaml`;
      await kubectl(kubeconfig, 'config', 'set-cluster', 'kyma', '--server=https://kubernetes.default.svc');
      const mapping = 'examples/cluster/kymainstancemapping/remote.yaml';
      // Without it, the ConfigMap of the operator counts, for which the rights are.
      const ownConfig = /^ {4}clusterIdConfigMapRef:\n(?: {6}.*\n)+/m;
      await clone().edit(mapping, (text) => text.replace(ownConfig, ''));
      await kubectl('apply', '--filename', `${options.directory}/clone/examples/provider-config/none.yaml`);
      await clone().followComment(mapping, { only: /^kubectl/, replace: { '<file>': 'kyma.yaml' } });
      await kubectl('apply', '--filename', `${options.directory}/clone/${mapping}`);
      await untilReady(REMOTE);
    },
  },
  {
    title: 'docs/compatibility.md: the package is upgraded',
    run: async ({ report }) => {
      const { identity } = await leader();
      await clone().follow('docs/compatibility.md', 'kubectl patch provider.pkg');
      report(`the pod of the new package leads after ${(await untilAnotherLeads(identity)).toFixed(1)} s`);
      await untilReady(REMOTE);
      await untilReady('shop');
    },
  },
];

/** The package is uninstalled. */
export const uninstallJourney = (clone: () => Clone): readonly Step<PodsOptions>[] => [
  {
    title: 'docs/install.md: the package is uninstalled, and nothing is left in HANA Cloud',
    run: async (options) => {
      await clone().follow(PAGE, 'kubectl delete -f examples/provider/provider.yaml');
      const { simulator } = await podsContext(options);
      const { instances } = (await simulator('/state')) as { instances: Record<string, readonly unknown[]> };
      hold(Object.values(instances).flat().length === 0, 'HANA Cloud has mappings left');
      await until(async () => {
        const kinds = await kubectl('get', 'crd', '--output=name');
        hold(!kinds.includes('inventory.hana.'), 'there are CRDs left');
      });
      const leases = await kubectl('get', 'leases', '--namespace=crossplane-system', '--output=name');
      hold(!leases.includes('provider-kyma'), `there are ${leases}`);
    },
  },
];
