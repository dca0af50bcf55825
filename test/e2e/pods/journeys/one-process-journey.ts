import { tool } from '../../../environment/tool.ts';
import { type Step, until } from '../../e2e-context.ts';
import { hold } from '../../hold.ts';
import { applyManifests } from '../apply-manifests.ts';
import { ask } from '../chain/external-systems.ts';
import type { Credentials } from '../chain/module-btp.ts';
import type { PodsOptions } from '../pods-options.ts';
import { trustManifest } from '../provider-manifests.ts';
import { inject, installKinds, issue } from './cert-manager.ts';
import type { Clone } from './clone.ts';
import { composeDatabase, deleteDatabase } from './database-journey.ts';
import { allAuthorities } from './user-environment.ts';

const PAGE = 'examples/one-process/README.md';
const MANIFEST = 'examples/one-process/provider.yaml';
const NAMESPACE = 'sap-btp-operator';
const CLUSTER_ID = '2c1c6c1e-7a55-4f4e-9f3a-0f8f1f0a7d11';

const kubectl = (...args: string[]) => tool('kubectl', args);

/** The whole chain in one process: installed, used, uninstalled. */
export const oneProcessJourney = (clone: () => Clone): readonly Step<PodsOptions>[] => [
  {
    title: 'examples/one-process: the process is installed, with its webhooks',
    run: async (options) => {
      await installKinds();
      await options.cluster.addRuntimeImage('registry.example.org/org/provider-kyma-runtime:v0.1.0');
      await clone().follow(PAGE, 'kubectl apply --server-side -f package/crds/');
      await clone().edit(MANIFEST, (text) => trusting(text.replace('replace-with-a-uuid', CLUSTER_ID)));
      const { secret } = (await ask(options, 'sm', '/credentials/subaccount-1')) as Credentials;
      const lines = ['clientid', 'clientsecret', 'sm_url', 'tokenurl'].map((key) => `${key}=${secret[key]}`);
      await clone().edit('credentials.env', () => `${lines.join('\n')}\ntokenurlsuffix=/oauth/token\n`);
      await clone().follow(PAGE, 'credentials.env', { only: /^kubectl apply/ });
      // What cert-manager would do meanwhile.
      await issue(NAMESPACE, 'webhooks');
      const trust = trustManifest(await allAuthorities(options));
      await applyManifests([{ ...trust, metadata: { ...trust.metadata, namespace: NAMESPACE } }]);
      await clone().follow(PAGE, 'credentials.env', { only: /^kubectl (create|rollout)/ });
      await clone().follow(PAGE, 'kubectl annotate');
      await inject();
    },
  },
  {
    title: 'examples/one-process: a HanaDatabase is composed, and doctor in the pod says so',
    run: async (options) => {
      await composeDatabase(options, clone());
      const report = await clone().follow(PAGE, 'provider-kyma doctor', {
        replace: {
          '-n shop': '-n team-shop',
          ' hana': ' orders',
          'serviceinstance/hana': 'serviceinstance/orders',
        },
      });
      hold(report.match(/every check succeeds/g)?.length === 2, `doctor says ${report}`);
    },
  },
  {
    title: 'examples/one-process: it is uninstalled',
    run: async (options) => {
      await deleteDatabase(options);
      await clone().follow(PAGE, 'kubectl delete -f package/btp/webhooks.yaml');
      await until(async () => {
        const left = await kubectl('get', 'namespace', NAMESPACE, '--ignore-not-found', '--output=name');
        hold(left === '', 'its namespace is left');
      });
    },
  },
];

/** The container trusts the simulators, at private addresses. */
function trusting(text: string): string {
  const env = `          env:
            - { name: NODE_EXTRA_CA_CERTS, value: /trust/ca.pem }
            - { name: ALLOW_PRIVATE_ENDPOINTS, value: "true" }
`;
  const mount = '            - { name: trust, mountPath: /trust, readOnly: true }\n';
  const volume = '        - name: trust\n          configMap: { name: simulators-ca }\n';
  const changed = text
    .replace('          env:\n', env)
    .replace('          volumeMounts:\n', `          volumeMounts:\n${mount}`)
    .replace('      volumes:\n', `      volumes:\n${volume}`);
  hold(
    changed.includes(env) && changed.includes(mount) && changed.includes(volume),
    `${MANIFEST} has other parts`,
  );
  return changed;
}
