/**
 * The requests for one mapping, in sequence: the same requests in the same order as the provider sends them, with no
 * decision beyond `does it exist?`. It shares no reads between mappings.
 */
import type { KymaInstanceMapping } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { createPlainClient, type Endpoint, type PlainClient } from './plain-client.ts';
import { eventOf, type Identity, readyStatus, usageOf, withIntent } from './plain-objects.ts';

export interface Endpoints {
  readonly management: Endpoint;
  readonly kyma: Endpoint;
  /** Certificate authority of HANA Cloud's servers, PEM. */
  readonly hanaCa: string;
}

/** The mapping that the four sources describe. */
interface Described extends Identity {
  readonly baseurl: string;
  readonly uaa: { readonly url: string; readonly clientid: string; readonly clientsecret: string };
}

interface MappingId {
  readonly primaryID: string;
  readonly secondaryID?: string;
}

export interface PlainMapper {
  readonly management: PlainClient;
  readonly kyma: PlainClient;
  /** Reads the sources and lists the instance's mappings: a steady observation. False: a source or the mapping is missing. */
  observe(mapping: KymaInstanceMapping): Promise<boolean>;
  /** Observes, creates and records until the mapping is Ready. False: a source is missing, nothing was done. */
  create(mapping: KymaInstanceMapping): Promise<boolean>;
}

/** The provider's own bounds: connections to the management cluster, to a Kyma cluster, and to a host of HANA Cloud. */
const MANAGEMENT_CONNECTIONS = 32;
const KYMA_CONNECTIONS = 8;
const HANA_CONNECTIONS = 24;

export const mappingsPath = '/apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemappings';
const usagesPath = '/apis/hana.sap.crossplane.io/v1alpha1/providerconfigusages';
const btp = '/apis/services.cloud.sap.com/v1';

interface Source {
  readonly status?: { readonly instanceID?: string };
  readonly spec?: { readonly secretName?: string };
  readonly data?: Readonly<Record<string, string>>;
}

export function createPlainMapper({ management: own, kyma: other, hanaCa }: Endpoints): PlainMapper {
  const management = createPlainClient(own, MANAGEMENT_CONNECTIONS);
  const kyma = createPlainClient(other, KYMA_CONNECTIONS);
  const hosts = new Map<string, PlainClient>();
  const tokens = new Map<string, Promise<string>>();
  const hana = (origin: string): PlainClient => {
    const client = hosts.get(origin) ?? createPlainClient({ origin, ca: hanaCa }, HANA_CONNECTIONS);
    hosts.set(origin, client);
    return client;
  };
  const grant = async ({ url, clientid, clientsecret }: Described['uaa']): Promise<string> => {
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    const proof = Buffer.from(`${clientid}:${clientsecret}`).toString('base64');
    const { access_token: token } = await hana(url).send<{ access_token: string }>({
      method: 'POST',
      path: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${proof}` },
      body: form.toString(),
    });
    return token;
  };
  const tokenFor = (uaa: Described['uaa']): Promise<string> => {
    const known = tokens.get(uaa.clientid) ?? grant(uaa);
    tokens.set(uaa.clientid, known);
    return known;
  };
  const find = (path: string) => kyma.send<Source>({ path }).catch(() => undefined);

  const describe = async (mapping: KymaInstanceMapping): Promise<Described | undefined> => {
    const { serviceInstanceRef, adminBindingRef, clusterIdConfigMapRef, targetNamespace } =
      mapping.spec.forProvider;
    // A cluster-scoped mapping has it always.
    const { namespace = '', name } = serviceInstanceRef;
    const configMap = clusterIdConfigMapRef ?? { namespace: 'kyma-system', name: 'sap-btp-operator-config' };
    const binding = `namespaces/${adminBindingRef.namespace}/servicebindings/${adminBindingRef.name}`;
    const [instance, secret, config] = await Promise.all([
      find(`${btp}/namespaces/${namespace}/serviceinstances/${name}`),
      find(`${btp}/${binding}`).then(async (found) => {
        const secretName = found?.spec?.secretName;
        if (secretName === undefined) return undefined;
        return find(`/api/v1/namespaces/${adminBindingRef.namespace}/secrets/${secretName}`);
      }),
      find(`/api/v1/namespaces/${configMap.namespace}/configmaps/${configMap.name}`),
    ]);
    const instanceID = instance?.status?.instanceID;
    const clusterID = config?.data?.CLUSTER_ID;
    if (instanceID === undefined || clusterID === undefined || secret === undefined) return undefined;
    const text = (key: string) => Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8');
    const uaa: Described['uaa'] = JSON.parse(text('uaa'));
    return { instanceID, clusterID, namespace: targetNamespace ?? namespace, baseurl: text('baseurl'), uaa };
  };
  const call = async <T>(
    { instanceID, baseurl, uaa }: Described,
    method: 'GET' | 'POST',
    body?: object,
  ): Promise<T> =>
    hana(`https://${baseurl}`).send<T>({
      method,
      path: `/inventory/v2/serviceInstances/${instanceID}/instanceMappings`,
      headers: { authorization: `Bearer ${await tokenFor(uaa)}` },
      body,
    });
  const isMapped = async (described: Described): Promise<boolean> => {
    const { mappings } = await call<{ mappings: MappingId[] }>(described, 'GET');
    const { clusterID, namespace } = described;
    return mappings.some((found) => found.primaryID === clusterID && found.secondaryID === namespace);
  };
  const put = (mapping: KymaInstanceMapping, subresource = '') =>
    management.send<KymaInstanceMapping>({
      method: 'PUT',
      path: `${mappingsPath}/${mapping.metadata.name}${subresource}`,
      body: mapping,
    });
  const post = (path: string, body: object) => management.send({ method: 'POST', path, body });

  return {
    management,
    kyma,
    observe: async (mapping) => {
      const described = await describe(mapping);
      return described !== undefined && (await isMapped(described));
    },
    create: async (mapping) => {
      const described = await describe(mapping);
      if (described === undefined) return false;
      await isMapped(described);
      await post(usagesPath, usageOf(mapping));
      const created = await put(withIntent(mapping, described));
      const id = { primaryID: described.clusterID, secondaryID: described.namespace };
      await call(described, 'POST', { platform: 'kubernetes', ...id, isDefault: false });
      await isMapped(described);
      await put({ ...created, status: readyStatus(described, created.metadata.generation ?? 1) }, '/status');
      await post('/api/v1/namespaces/default/events', eventOf(created));
      return true;
    },
  };
}
