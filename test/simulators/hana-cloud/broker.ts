import { randomSecret } from '../base/oauth/clients.ts';
import type { BrokerBinding, BrokerInstance, ServiceBroker } from '../service-manager/service/broker.ts';
import type { Catalog } from '../service-manager/state/catalog.ts';
import type { HanaCloudSimulator } from './hana-cloud-simulator.ts';

/** The offering of HANA Cloud: databases, and access to their administration API. */
export const hanaCloudCatalog: Catalog = {
  offerings: [{ id: 'offering-hana-cloud', catalog_name: 'hana-cloud', tags: ['hana', 'database'] }],
  plans: [
    { id: 'plan-hana', catalog_name: 'hana', service_offering_id: 'offering-hana-cloud', bindable: false },
    { id: 'plan-admin', catalog_name: 'admin-api-access', service_offering_id: 'offering-hana-cloud' },
  ],
};

/**
 * The service broker of HANA Cloud, for Service Manager's simulator. An instance of plan `hana` is a database in HANA
 * Cloud's simulator. A binding of plan `admin-api-access` is a client that sees all databases that were made here.
 */
export function hanaCloudBroker({ store, apiUrl, tokenUrl }: HanaCloudSimulator): ServiceBroker {
  const databases = new Set<string>();
  const clientOf = ({ id }: BrokerBinding) => `sb-${id}!b1|hana-cloud!b1`;
  const isDatabase = ({ plan }: BrokerInstance) => plan === 'hana';
  return {
    provision: (instance) => {
      if (!isDatabase(instance)) return;
      databases.add(instance.id);
      store.addInstance(instance.id);
    },
    deprovision: (instance) => {
      if (!isDatabase(instance)) return;
      databases.delete(instance.id);
      store.removeInstance(instance.id);
    },
    bind: (binding) => {
      const clientid = clientOf(binding);
      const clientsecret = randomSecret();
      store.addClient({ id: clientid, secret: clientsecret, instances: databases });
      return { baseurl: new URL(apiUrl).host, uaa: { url: tokenUrl, clientid, clientsecret } };
    },
    unbind: (binding) => store.removeClient(clientOf(binding)),
  };
}
