import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../../../internal/framework/kube/object/object.ts';
import { secrets } from '../../../../../internal/framework/kube/object/resource-type.ts';
import { connectivityProxy } from '../../../../../internal/systems/reconciler/components/reconcilers/connectivity-proxy/connectivity-proxy.ts';
import { installCrds } from '../../../../environment/install-crds.ts';
import { configMaps, typeOf } from '../deploy-environment.ts';
import { openCrd, type ReconcilerEnvironment } from './reconciler-environment.ts';

/** The control plane must not be in use: namespaces have the names that they have in clusters. */
export const connectivityProxyTests = (environmentOf: () => ReconcilerEnvironment): void =>
  describe('connectivity-proxy', () => {
    const statefulSets = typeOf('apps', 'v1', 'StatefulSet');
    const instances = typeOf('services.cloud.sap.com', 'v1', 'ServiceInstance');
    const bindings = typeOf('services.cloud.sap.com', 'v1', 'ServiceBinding');
    const mappings = typeOf('connectivityproxy.sap.com', 'v1', 'ServiceMapping');
    const namespace = 'kyma-system';
    const component = 'connectivity-proxy';

    let environment: ReconcilerEnvironment;
    const asked: string[] = [];
    const proxy = connectivityProxy({
      readAuthorities: async (url) => {
        asked.push(url.href);
        return 'authorities';
      },
    });
    beforeAll(async () => {
      environment = environmentOf();
      for (const name of [namespace, 'istio-system', 'apps']) await environment.namespace(name);
    });

    /** The chart; its ConfigMap is created once. */
    const manifest = (version: string) => () =>
      `
apiVersion: v1
kind: ConfigMap
metadata:
  name: connectivity-proxy
  annotations: { reconciler.kyma-project.io/skip-rendering-on-upgrade: "true" }
data:
  connectivity-proxy-config.yml: "{servers: {businessDataTunnel: {externalHost: cc-proxy.old}}}"
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: connectivity-proxy, labels: { chart: connectivity-proxy-${version} } }
spec:
  serviceName: proxy
  replicas: 1
  selector: { matchLabels: { app: proxy } }
  template:
    metadata: { labels: { app: proxy } }
    spec: { containers: [{ name: proxy, image: "proxy:${version}" }] }
`;

    const attempt = (version = '2.9.1') =>
      environment.context(
        { component, namespace, configuration: { 'istio.secret.name': 'cc-certs-cacert' } },
        { manifest: manifest(version) },
      );
    const secretOf = async (name: string, place = namespace) => {
      const secret = await environment.objects.find(secrets, { name, namespace: place });
      return (
        secret &&
        new Map(
          Object.entries(secret.data ?? {}).map(([key, value]) => [
            key,
            Buffer.from(value, 'base64').toString(),
          ]),
        )
      );
    };
    const isInstalled = async () =>
      (await environment.objects.find(statefulSets, { name: component, namespace })) !== undefined;
    const apply = (
      type: typeof instances,
      object: Omit<KubeObject, 'apiVersion' | 'kind'> & { spec?: object; data?: object },
    ) =>
      environment.objects.apply(type, {
        apiVersion: type.group === '' ? type.version : `${type.group}/${type.version}`,
        kind: type.kind,
        ...object,
      });

    const service = {
      CAs_path: '/cas',
      CAs_signing_path: '/sign',
      api_path: '/api',
      tunnel_path: '/tunnel',
      url: 'https://connectivity.example.com',
    };
    const credentials = {
      clientid: 'client',
      clientsecret: 'hidden',
      connectivity_service: JSON.stringify(service),
      subaccount_id: 'sub-id',
      subaccount_subdomain: 'sub-domain',
      tags: '["a"]',
    };

    test('without Istio nothing is done, for a deletion neither', async () => {
      const context = attempt();
      await proxy.reconcile?.(context);
      await proxy.delete?.(context);

      expect(context.messages).toEqual(['the cluster has no Istio', 'the cluster has no Istio']);
    });

    test('without the BTP operator and without a binding nothing is done', async () => {
      const istio = ['VirtualService', 'Gateway'].map((kind) =>
        openCrd('networking.istio.io', 'v1beta1', kind),
      );
      await installCrds(environment.plane, istio);
      const first = attempt();
      await proxy.reconcile?.(first);
      const btp = ['ServiceInstance', 'ServiceBinding'].map((kind) =>
        openCrd('services.cloud.sap.com', 'v1', kind),
      );
      await installCrds(environment.plane, btp);
      const second = attempt();
      await proxy.reconcile?.(second);

      const nothing = ['there is no binding to the Connectivity service'];
      expect([first.messages, second.messages]).toEqual([nothing, nothing]);
    });

    test('with a binding the proxy is installed with its credentials', async () => {
      const place = { namespace: 'apps' };
      await apply(instances, {
        metadata: { name: 'other', ...place },
        spec: { serviceOfferingName: 'xsuaa' },
      });
      await apply(instances, {
        metadata: { name: 'conn', ...place },
        spec: { serviceOfferingName: 'connectivity' },
      });
      await apply(bindings, {
        metadata: { name: 'other', ...place },
        spec: { serviceInstanceName: 'other', secretName: 'x' },
      });
      const spec = { serviceInstanceName: 'conn', secretName: 'conn-secret', secretRootKey: 'root' };
      await apply(bindings, { metadata: { name: 'conn', ...place }, spec });
      const waiting = attempt();
      await proxy.reconcile?.(waiting);
      expect(waiting.messages).toEqual(['the binding to the Connectivity service has no Secret yet']);

      const data = { root: Buffer.from(JSON.stringify(credentials)).toString('base64') };
      await apply(secrets, { metadata: { name: 'conn-secret', ...place }, data });
      const context = attempt();
      await proxy.reconcile?.(context);

      expect(await isInstalled()).toBe(true);
      expect(asked).toEqual(['https://connectivity.example.com/cas']);
      const key = JSON.parse((await secretOf('connectivity-proxy-service-key'))?.get('service_key') ?? '');
      expect(key).toMatchObject({ clientid: 'client', connectivity_service: service, tags: ['a'], type: '' });
      expect(await secretOf('cc-certs-cacert', 'istio-system')).toEqual(new Map([['cacert', 'authorities']]));
      const tls = await secretOf('connectivity-sm-operator-secrets-tls');
      expect(
        new X509Certificate(tls?.get('tls.crt') ?? '').checkHost('connectivity-proxy-smv.kyma-system.svc'),
      ).toBeDefined();
      expect(context.configuration).toMatchObject({
        'global.kubeHost': '127.0.0.1',
        'global.binding.clientid': 'client',
        'global.binding.url': service.url,
        'config.subaccountId': 'sub-id',
        'config.subaccountSubdomain': 'sub-domain',
        'config.servers.businessDataTunnel.externalHost': 'cp.127.0.0.1',
        'deployment.serviceMapping.caBundle': Buffer.from(tls?.get('ca.crt') ?? '').toString('base64'),
      });
    });

    test('an upgrade keeps the certificate, mappings and configuration; 2.9.2 gets the host of its tunnel', async () => {
      const { objects } = environment;
      const tls = await secretOf('connectivity-sm-operator-secrets-tls');
      const mapped = { name: 'connectivity-proxy-service-mappings', namespace };
      await objects.patch(configMaps, mapped, { data: { servicemappings: '{"of":"a user"}' } });

      await proxy.reconcile?.(attempt('2.9.1'));
      const configuration = { name: component, namespace };
      const before = await objects.get(configMaps, configuration);
      await proxy.reconcile?.(attempt('2.9.2'));
      const after = await objects.get(configMaps, configuration);

      expect(before).toMatchObject({
        data: { 'connectivity-proxy-config.yml': expect.stringContaining('cc-proxy.old') },
      });
      expect(after.metadata.uid).toBe(before.metadata.uid);
      expect(after).toMatchObject({
        metadata: { labels: { 'connectivityproxy.sap.com/restart': 'connectivity-proxy.kyma-system' } },
        data: { 'connectivity-proxy-config.yml': expect.stringContaining('externalHost: cp.127.0.0.1') },
      });
      expect(await objects.get(configMaps, mapped)).toMatchObject({
        data: { servicemappings: '{"of":"a user"}' },
      });
      expect(await secretOf('connectivity-sm-operator-secrets-tls')).toEqual(tls);
    });

    test('it is not removed while there are service mappings, and then with all that it has created', async () => {
      const { objects, plane } = environment;
      await installCrds(plane, [openCrd('connectivityproxy.sap.com', 'v1', 'ServiceMapping')]);
      await apply(mappings, { metadata: { name: 'mapped', namespace: 'apps' } });
      await objects.delete(bindings, { name: 'conn', namespace: 'apps' });
      await expect(proxy.reconcile?.(attempt())).rejects.toThrow(
        'while there are service mappings, such as mapped',
      );
      expect(await isInstalled()).toBe(true);

      await objects.delete(mappings, { name: 'mapped', namespace: 'apps' });
      await proxy.reconcile?.(attempt());

      expect(await isInstalled()).toBe(false);
      const names = ['connectivity-proxy-service-key', 'connectivity-sm-operator-secrets-tls'];
      expect(await Promise.all(names.map((name) => secretOf(name)))).toEqual([undefined, undefined]);
      expect(await secretOf('cc-certs-cacert', 'istio-system')).toBeUndefined();
    });
  });
