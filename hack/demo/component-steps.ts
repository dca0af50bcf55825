/**
 * Components on the Kyma cluster: the mothership decides what is installed, a component reconciler renders charts and applies
 * them. Assertions are on objects of the cluster, and on the API of the mothership.
 */
import { readFile } from 'node:fs/promises';
import type { ConfigMap, ObjectKey } from '../../internal/framework/kube/object/object.ts';
import { configMaps, type ResourceType } from '../../internal/framework/kube/object/resource-type.ts';
import type { Context } from './context.ts';
import { type ApiSchemas, KYMA_VERSION } from './environment/reconciler.ts';
import type { Step } from './step.ts';

const runtimeID = 'demo-runtime';
const namespace = 'kyma-components';
const settings = { namespace, name: 'settings' };
const greeter = { namespace, name: 'greeter' };
const services: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};

const SETTINGS_CHART = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  logLevel: {{ .Values.logLevel | default "info" | quote }}
`;
const GREETER_CHART = `
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
spec:
  ports: [{ port: 80 }]
  selector: { app: {{ .Release.Name }} }
`;
/** Renders only with a value that the cluster does not have. */
const BROKEN_CHART = GREETER_CHART.replace(
  'port: 80',
  'port: {{ required "greeter.port is required" .Values.port }}',
);

async function register(context: Context, components: readonly string[]): Promise<void> {
  const { reconciler, planes } = context;
  await reconciler.call('POST', '/clusters', {
    runtimeID,
    runtimeInput: { name: 'demo', description: 'the Kyma cluster of the demo' },
    metadata: {},
    kubeconfig: await readFile(planes.kyma.kubeconfigPath, 'utf8'),
    kymaConfig: {
      version: KYMA_VERSION,
      profile: '',
      administrators: [],
      components: components.map((component) => ({
        component,
        namespace,
        URL: '',
        version: '',
        configuration: [{ key: 'logLevel', value: 'debug', secret: false }],
      })),
    },
  });
}

const clusterOf = ({ reconciler }: Context) =>
  reconciler.call<ApiSchemas['ClusterResponse']>('GET', `/clusters/${runtimeID}/status`);
const untilStatus = (context: Context, status: string) =>
  context.until(
    'the status of the cluster',
    async () => (await clusterOf(context))?.status ?? 'not registered',
    status,
  );
const reconcileNow = ({ reconciler }: Context) =>
  reconciler.call('PUT', `/clusters/${runtimeID}/status`, { status: 'reconcile_pending' });
const presence = ({ kyma, presence: of }: Context, type: ResourceType, key: ObjectKey) => of(kyma, type, key);
const logLevel = async ({ kyma }: Context) =>
  (await kyma.find<ConfigMap>(configMaps, settings))?.data?.logLevel ?? 'no ConfigMap';

export const componentSteps: readonly Step[] = [
  {
    title: 'A cluster is registered with two components: their charts are rendered and applied to it',
    run: async (context) => {
      const { reconciler, until, now, print } = context;
      await reconciler.chart('settings', SETTINGS_CHART);
      await reconciler.chart('greeter', GREETER_CHART);
      print(`mothership and page for operators at ${reconciler.url}`);
      await register(context, ['settings', 'greeter']);
      await untilStatus(context, 'ready');
      await until('the log level in ConfigMap settings', () => logLevel(context), 'debug');
      await now('Service greeter', () => presence(context, services, greeter), 'there');
    },
  },
  {
    title: 'Someone changes an object of a component: the next run puts it right',
    run: async (context) => {
      await context.kyma.patch(configMaps, settings, { data: { logLevel: 'trace' } });
      await reconcileNow(context);
      await context.until('the log level in ConfigMap settings', () => logLevel(context), 'debug');
      await untilStatus(context, 'ready');
    },
  },
  {
    title:
      'A chart is broken: the cluster names the component and the reason, and recovers with the next chart',
    run: async (context) => {
      const { reconciler, until, now } = context;
      await reconciler.chart('greeter', BROKEN_CHART);
      await reconcileNow(context);
      const failures = async () =>
        ((await clusterOf(context))?.failures ?? [])
          .map(({ component, reason }) => `${component}: ${reason}`)
          .join('; ');
      await until('the failures of the cluster', failures, ['greeter', 'greeter.port is required']);
      await now('Service greeter, as it was', () => presence(context, services, greeter), 'there');
      await reconciler.chart('greeter', GREETER_CHART);
      await reconcileNow(context);
      await untilStatus(context, 'ready');
    },
  },
  {
    title: 'The cluster is deleted: its components are removed, then its registration',
    run: async (context) => {
      const { reconciler, until } = context;
      await reconciler.call('DELETE', `/clusters/${runtimeID}`);
      await untilStatus(context, 'not registered');
      await until('ConfigMap settings', () => presence(context, configMaps, settings), 'gone');
      await until('Service greeter', () => presence(context, services, greeter), 'gone');
    },
  },
];
