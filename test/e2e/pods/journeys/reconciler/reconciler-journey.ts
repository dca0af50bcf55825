import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { configMapManifest, namespaceManifest, secretManifest } from '../../../../environment/manifests.ts';
import { tool } from '../../../../environment/tool.ts';
import { type Step, until } from '../../../e2e-context.ts';
import { hold } from '../../../hold.ts';
import { applyManifests } from '../../apply-manifests.ts';
import { type PodsOptions, ROOT } from '../../pods-options.ts';
import type { Clone } from '../clone.ts';
import { COMPONENT, GATE, kymaVersion } from './kyma-version.ts';
import { withPortForward } from './port-forward.ts';
import {
  busyWorkers,
  holdPods,
  NAMESPACE,
  objectsOfRelease,
  podNames,
  restartsOf,
} from './reconciler-pods.ts';
import {
  CLIENT,
  ISSUER,
  operatorToken,
  POSTGRES,
  startReconcilerSystems,
  stopReconcilerSystems,
  trust,
} from './reconciler-systems.ts';

const PAGE = 'docs/mothership/install.md';
const CLUSTERS = 'docs/mothership/kyma-cluster.md';
const VALUES = 'reconciler-values.yaml';
/** That of examples/kyma-cluster/kymacluster.yaml. */
const KYMA_CLUSTER = ['kymaclusters.reconciler.m.kyma-project.io/shop', '--namespace=team-shop'];

/** The API of the mothership. */
const API = { service: 'service/reconciler-mothership', namespace: NAMESPACE, port: 8080 };

const kubectl = (...args: string[]) => tool('kubectl', args);
const rolledOut = (part: string) =>
  kubectl('rollout', 'status', `deployment/reconciler-${part}`, `-n=${NAMESPACE}`, '--timeout=5m');

/** The chart of the reconciler: installed, a cluster reconciled by it, its pods lost, upgraded, uninstalled. */
export function reconcilerJourney(clone: () => Clone): readonly Step<PodsOptions>[] {
  let authority = '';
  let token = '';
  return [
    {
      title: 'a Postgres and an OpenID provider',
      run: async (options) => {
        authority = await startReconcilerSystems(options);
      },
    },
    {
      title: 'docs/mothership/install.md: the chart is installed; its pods meet the standard restricted',
      run: async (options) => {
        await options.cluster.addRuntimeImage('registry.example.org/org/provider-kyma:v0.1.0');
        await clone().follow(PAGE, 'helm install', { only: /create namespace/ });
        const standard = 'pod-security.kubernetes.io/enforce=restricted';
        await kubectl('label', 'namespace', NAMESPACE, standard);
        await applyManifests([trust.manifest(NAMESPACE, authority), kymaVersion.manifest(NAMESPACE)]);
        await clone().edit(VALUES, () => stringify(valuesOfUser));
        await clone().follow(PAGE, 'helm install', {
          only: /^(head|kubectl -n kyma-reconciler create|helm|kubectl -n kyma-reconciler rollout)/,
          replace: {
            'USER:PASSWORD@HOST:5432': POSTGRES,
            'sslmode=verify-full': `sslmode=verify-full&sslrootcert=${trust.file}`,
            'https://issuer.example.org': ISSUER,
            'package/reconciler/chart': `package/reconciler/chart -f ${VALUES}`,
          },
        });
        await rolledOut('base');
        await holdPods(['mothership', 'mothership', 'base']);
      },
    },
    {
      title: 'docs/mothership/kyma-cluster.md: an upgrade adds KymaClusters, and keeps token and pods',
      run: async () => {
        const before = [await componentToken(), ...(await podNames('mothership'))];
        await clone().follow(CLUSTERS, 'kymaClusters.enabled=true');
        await holdPods(['mothership', 'mothership', 'base', 'kyma-clusters']);
        const after = [await componentToken(), ...(await podNames('mothership'))];
        hold(before.join() === after.join(), `there were ${before}, and are ${after}`);
      },
    },
    {
      title: 'docs/mothership/kyma-cluster.md: a KymaCluster is declared, and its component is in progress',
      run: async (options) => {
        await applyManifests([
          namespaceManifest('team-shop'),
          secretManifest(
            { namespace: 'team-shop', name: 'shop-kubeconfig' },
            { config: await kubeconfigForPods(options) },
          ),
          secretManifest({ namespace: NAMESPACE, name: 'mothership-client' }, CLIENT),
        ]);
        const config = await clone().block(CLUSTERS, 'yaml', 'source: OAuthClient');
        await clone().edit('examples/kyma-cluster/kymacluster.yaml', (text) => clusterOfUser(text, config));
        await clone().follow(CLUSTERS, 'kubectl apply -f examples/kyma-cluster/kymacluster.yaml');
        await until(async () => {
          const found = await kubectl('get', 'deployments', `-n=${COMPONENT}`, '--output=name');
          hold(found.includes(COMPONENT), 'there is no Deployment of the component');
        });
        hold((await busyWorkers()) === 1, 'no worker is busy');
      },
    },
    {
      title: 'the pods of the mothership are lost: others continue the run, and the cluster is ready',
      run: async () => {
        token = await operatorToken();
        const [run] = await runs(token);
        await kubectl(
          'delete',
          'pods',
          `-n=${NAMESPACE}`,
          '--selector=app.kubernetes.io/component=mothership',
          '--force',
          '--grace-period=0',
        );
        await rolledOut('mothership');
        await applyManifests([configMapManifest(GATE, { open: 'yes' })]);
        await kubectl('wait', ...KYMA_CLUSTER, '--for=condition=Ready', '--timeout=5m');
        const [same, ...others] = await runs(token);
        hold(same?.schedulingID === run?.schedulingID && others.length === 0, 'there was another run');
        hold((await restartsOf('base')) === 0, 'the component reconciler was restarted');
        await until(async () => hold((await busyWorkers()) === 0, 'a worker is busy'));
      },
    },
    {
      title:
        'docs/mothership: doctor in the pod and the commands for operators show the cluster; the page is served',
      run: async () => {
        const report = await clone().follow(CLUSTERS, 'provider-kyma doctor kymacluster/shop', {
          only: /exec deploy/,
        });
        hold(report.includes('every check succeeds'), `doctor says ${report}`);
        await withPortForward(API, async (url) => {
          const command = (...args: string[]) =>
            tool(join(ROOT, 'bin/provider-kyma'), args, {
              env: { RECONCILER_URL: url, RECONCILER_TOKEN: token },
            });
          const table = await command('clusters', 'list');
          hold(/^\S+ +ready /m.test(table), `the clusters are ${table}`);
          const page = await fetch(url);
          hold(page.ok && (await page.text()).includes('<html'), `the page is answered with ${page.status}`);
        });
      },
    },
    {
      title:
        'docs/mothership/install.md: the cluster is deleted, the chart uninstalled; what the page names is left',
      run: async () => {
        await kubectl('delete', ...KYMA_CLUSTER, '--timeout=5m');
        const left = await kubectl('get', 'deployments', `-n=${COMPONENT}`, '--output=name');
        hold(left === '', `there is ${left}`);
        await clone().follow(PAGE, 'helm uninstall reconciler');
        await until(async () => {
          const objects = await objectsOfRelease();
          hold(objects === '', `there are ${objects}`);
        });
      },
    },
    {
      title:
        'docs/mothership/install.md: with an embedded database, a new pod has what the one before stored',
      run: async ({ cluster }) => {
        await cluster.addVolume();
        await clone().follow(PAGE, 'helm install', {
          only: /^(helm|kubectl -n kyma-reconciler rollout)/,
          replace: {
            'database.urlSecret.name=reconciler-postgres': EMBEDDED,
            'https://issuer.example.org': ISSUER,
            'package/reconciler/chart': `package/reconciler/chart -f ${VALUES}`,
          },
        });
        const registered = { runtimeID: 'embedded', kubeconfig: await kubeconfigForPods({ cluster }) };
        await withApi(token, (call) => call('/v1/clusters', { ...emptyCluster, ...registered }));
        await kubectl('rollout', 'restart', 'deployment/reconciler-mothership', `-n=${NAMESPACE}`);
        await rolledOut('mothership');
        const { clusters } = (await withApi(token, (call) => call('/v1/clusters'))) as Clusters;
        hold(clusters.map(({ runtimeID }) => runtimeID).join() === 'embedded', 'the cluster is lost');
        hold((await restartsOf('mothership')) === 0, 'the mothership was restarted');
        await clone().follow(PAGE, 'helm uninstall reconciler');
        const claims = await kubectl('get', 'persistentvolumeclaims', `-n=${NAMESPACE}`, '--output=name');
        hold(claims.includes('reconciler-mothership'), 'the database is gone');
        const all = ['team-shop', NAMESPACE, 'kcp-system'];
        await kubectl('delete', 'namespace', ...all, COMPONENT, '--ignore-not-found', '--timeout=5m');
        await stopReconcilerSystems();
      },
    },
  ];
}

/** What the user adds to the values of the page: the issuer has an authority of its own, and Kyma comes from no network. */
const { file, volumes, volumeMounts } = trust;
const valuesOfUser = {
  mothership: { args: [`--oidc-ca-file=${file}`], volumes, volumeMounts },
  components: { base: { volumes: kymaVersion.volumes, volumeMounts: kymaVersion.volumeMounts } },
  kymaClusters: { env: [{ name: 'NODE_EXTRA_CA_CERTS', value: file }], volumes, volumeMounts },
};

/** The example with the configuration of the page, for a component that the test has. */
function clusterOfUser(example: string, page: string): string {
  const config = parse(page);
  const [, cluster = '', ...others] = example.split(/^---$/m);
  hold(cluster !== '' && others.length === 0, 'the example has other objects');
  const object = parse(cluster);
  config.spec.url = `http://reconciler-mothership.${NAMESPACE}:8080`;
  config.spec.credentials.oauthClient.tokenURL = `${ISSUER}/token`;
  object.spec.forProvider.components = [{ component: COMPONENT, namespace: COMPONENT }];
  return [config, object].map((each) => stringify(each)).join('---\n');
}

const componentToken = () =>
  kubectl('get', 'secret', 'reconciler-component-token', `-n=${NAMESPACE}`, '-o=jsonpath={.data.token}');

/** That of this cluster, at the address that pods know. */
async function kubeconfigForPods(options: Pick<PodsOptions, 'cluster'>): Promise<string> {
  const config = parse(await options.cluster.kubeconfig());
  config.clusters[0].cluster.server = 'https://kubernetes.default.svc';
  return stringify(config);
}

interface Run {
  readonly schedulingID: string;
  readonly finished: boolean;
}

/** All runs, the newest first. */
const runs = async (token: string): Promise<readonly Run[]> =>
  (await withApi(token, (call) => call('/v1/reconciliations'))) as Run[];

const EMBEDDED = 'database.embedded.enabled=true --set mothership.replicas=1';
/** A registration without components. */
const emptyCluster = {
  runtimeInput: { name: 'embedded', description: '' },
  kymaConfig: { version: '2.20.0', profile: '', administrators: [], components: [] },
  metadata: {},
};
interface Clusters {
  readonly clusters: readonly { readonly runtimeID: string }[];
}

/** Calls the API of the mothership: with a body it posts. */
function withApi(
  token: string,
  use: (call: (path: string, body?: object) => Promise<unknown>) => Promise<unknown>,
): Promise<unknown> {
  return withPortForward(API, (url) =>
    use(async (path, body) => {
      const response = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      const text = await response.text();
      hold(response.ok, `${path} is answered with ${response.status}: ${text}`);
      return JSON.parse(text);
    }),
  );
}
