import { parse, stringify } from 'yaml';
import { tool } from '../../../environment/tool.ts';
import { type Step, until } from '../../e2e-context.ts';
import { hold } from '../../hold.ts';
import { ask, externalState } from '../chain/external-systems.ts';
import { type Credentials, restartWith } from '../chain/module-btp.ts';
import type { PodsOptions } from '../pods-options.ts';
import type { Clone } from './clone.ts';
import { composeDatabase, deleteDatabase } from './database-journey.ts';
import { allAuthorities, certificateFor, editRuntimeConfig } from './user-environment.ts';

const PAGE = 'docs/service-operator/install.md';
const NAMESPACE = 'sap-btp-operator';
const WEBHOOKS = 'sap-btp-operator-webhook-service';
/** In docs/compositions.md: the provider reads the ID of the cluster where the chart writes it. */
const CLUSTER_ID = `--cluster-id-config-map=${NAMESPACE}/sap-btp-operator-config`;

const kubectl = (...args: string[]) => tool('kubectl', args);

/** The chart of the service operator beside the package: installed, used by a chain, upgraded, uninstalled. */
export const chartJourney = (clone: () => Clone): readonly Step<PodsOptions>[] => [
  {
    title: 'docs/service-operator/install.md: the chart is installed, with its webhooks',
    run: async (options) => {
      // Those of the steps before were made by hand; Helm refuses what it does not own.
      for (const name of ['serviceinstances', 'servicebindings'])
        await kubectl(
          'delete',
          'crd',
          `${name}.services.cloud.sap.com`,
          '--ignore-not-found',
          '--timeout=5m',
        );
      const values = await valuesOf(options, await clone().block(PAGE, 'yaml', 'sm_url'));
      await clone().edit('values.yaml', () => stringify(values));
      await clone().follow(PAGE, 'helm upgrade --install btp');
      await untilChartIsReady();
    },
  },
  {
    title:
      'docs/compositions.md: with the chart beside the provider, a HanaDatabase is composed; doctor in the pod says so',
    run: async (options) => {
      const page = await clone().read('docs/compositions.md');
      hold(page.includes(CLUSTER_ID), 'docs/compositions.md has another flag');
      const changes = { args: [CLUSTER_ID] };
      await editRuntimeConfig(options, clone(), changes);
      await restartWith(changes);
      await composeDatabase(options, clone());
      const report = await clone().follow('docs/cli.md', 'exec -n sap-btp-operator', {
        only: /exec -n sap-btp-operator/,
        replace: { '-n default': '-n team-shop' },
      });
      hold(report.includes('every check succeeds'), `doctor says ${report}`);
    },
  },
  {
    title: 'docs/service-operator/install.md: an upgrade changes nothing in Service Manager',
    run: async (options) => {
      const before = await externalState(options);
      await clone().edit('values.yaml', (text) => {
        const values = parse(text) as { manager: object };
        return stringify({ ...values, manager: { ...values.manager, replica_count: 1 } });
      });
      await clone().follow(PAGE, 'helm upgrade --install btp');
      await untilChartIsReady();
      hold(JSON.stringify(await externalState(options)) === JSON.stringify(before), 'there was a change');
    },
  },
  {
    title:
      'docs/service-operator/install.md: it is not uninstalled while a mapping uses an instance; then it is, without a trace',
    run: async (options) => {
      const uninstall = () => clone().follow(PAGE, 'helm uninstall btp');
      const refused = await uninstall().then(
        () => undefined,
        ({ message }: Error) => message,
      );
      hold(refused !== undefined, 'it was uninstalled');
      const log = await kubectl('logs', 'job/pre-delete-job', `--namespace=${NAMESPACE}`);
      hold(log.includes('team-shop/orders'), `the log is ${log}`);
      await deleteDatabase(options);
      await uninstall();
      await until(async () => {
        const kinds = await kubectl('get', 'crd', '--output=name');
        hold(!kinds.includes('services.cloud.sap.com'), 'there are CRDs left');
      });
      const leases = await kubectl('get', 'leases', `--namespace=${NAMESPACE}`, '--output=name');
      hold(leases === '', `there are ${leases}`);
    },
  },
];

const untilChartIsReady = () =>
  kubectl(
    'rollout',
    'status',
    'deployment/sap-btp-operator-controller-manager',
    `--namespace=${NAMESPACE}`,
    '--timeout=5m',
  );

/** Those of the page, with the credentials, the certificate and the trust of this user. */
async function valuesOf(options: PodsOptions, page: string): Promise<object> {
  const { manager } = parse(page) as { manager: { image: Image; secret: object } };
  const { repository, tag } = manager.image;
  await options.cluster.addRuntimeImage(`${repository}:${tag}`);
  const { secret } = (await ask(options, 'sm', '/credentials/subaccount-1')) as Credentials;
  const { clientid, clientsecret, sm_url, tokenurl } = secret;
  return {
    manager: {
      ...manager,
      secret: { ...manager.secret, clientid, clientsecret, sm_url, tokenurl },
      certificates: { selfSigned: await certificateFor(WEBHOOKS, NAMESPACE) },
      customCACerts: [Buffer.from(await allAuthorities(options)).toString('base64')],
      extraEnv: [{ name: 'ALLOW_PRIVATE_ENDPOINTS', value: 'true' }],
    },
  };
}

interface Image {
  readonly repository: string;
  readonly tag: string;
}
