/** The client of Service Manager and the simulator, brought together over real TLS. */
import { setDefaultCACertificates } from 'node:tls';
import { createConcurrencyLimiter } from '../../../internal/framework/base/concurrency/concurrency-limiter.ts';
import { noFence } from '../../../internal/framework/base/concurrency/fence.ts';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import type { ApiCredentials } from '../../../internal/framework/http/index.ts';
import {
  createServiceManager,
  type NewServiceBinding,
  type NewServiceInstance,
  type ServiceManager,
  type ServiceManagerClient,
  type ServiceManagerOptions,
  type WriteOptions,
} from '../../../internal/systems/btp/service-manager/index.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../simulators/service-manager/simulator.ts';

export const identity = { clusterID: 'cluster-1', namespace: 'shop', name: 'orders' };

export const newInstance: NewServiceInstance = {
  name: 'orders-db',
  servicePlanID: 'plan-standard',
  parameters: { size: 2 },
  identity,
};

export const selection = {
  instanceName: 'orders-db',
  offeringName: 'sample',
  planName: 'standard',
};

export function newBinding(serviceInstanceID: string): NewServiceBinding {
  return { name: 'orders-key', serviceInstanceID, identity };
}

/** Afterwards no other server is trusted: with the certificates of Node, each client takes 10 ms of CPU to open. */
export async function startSimulator(
  options: Parameters<typeof startServiceManagerSimulator>[0] = {},
): Promise<ServiceManagerSimulator> {
  const simulator = await startServiceManagerSimulator(options);
  setDefaultCACertificates([simulator.caCertificate]);
  return simulator;
}

/** As in production but for short waits and endpoints on loopback. */
export function openServiceManager(options: Partial<ServiceManagerOptions> = {}): ServiceManager {
  return createServiceManager({
    ...createDeps({ random: () => 0.5 }),
    limiter: createConcurrencyLimiter(createDeps()),
    clientVersion: '1.2.3',
    allowPrivateEndpoints: true,
    retryBackoffMs: 1,
    ...options,
  });
}

export type Form = 'secret' | 'x509' | 'both';

/** @param form `both`: a secret, and a certificate on all connections */
export async function credentialsOf(
  simulator: ServiceManagerSimulator,
  form: Form = 'secret',
  subaccount?: string,
): Promise<ApiCredentials> {
  const { secret, x509 } = await simulator.credentials(subaccount);
  const certificate = { certificate: x509['tls.crt'] ?? '', key: x509['tls.key'] ?? '' };
  const { sm_url: baseUrl = '', tokenurl = '', tokenurlsuffix = '' } = secret;
  const endpoints = { baseUrl, tokenUrl: tokenurl + tokenurlsuffix };
  if (form === 'x509')
    return {
      ...endpoints,
      clientId: x509.clientid ?? '',
      authentication: { method: 'x509', ...certificate },
    };
  return {
    ...endpoints,
    clientId: secret.clientid ?? '',
    authentication: {
      method: 'client-secret',
      clientSecret: secret.clientsecret ?? '',
      ...(form === 'both' ? { clientCertificate: certificate } : {}),
    },
  };
}

/** For calls that are expected to succeed, possibly in a slow process. */
export function callOptions(): WriteOptions {
  return { signal: new AbortController().signal, fence: noFence };
}

export function connectionsTo(simulator: () => ServiceManagerSimulator) {
  const closers: (() => Promise<void>)[] = [];
  return {
    connect: async (
      options: Partial<ServiceManagerOptions> = {},
      form: Form = 'secret',
    ): Promise<ServiceManagerClient> => {
      const manager = openServiceManager(options);
      const client = manager.connect(await credentialsOf(simulator(), form), { correlationID: 'c-1' });
      closers.push(client.close, manager.close);
      return client;
    },
    closeAll: async () => {
      for (const close of closers.splice(0)) await close();
    },
  };
}

export async function thrownBy(action: () => Promise<unknown>): Promise<Error> {
  try {
    await action();
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error('what was thrown is no Error');
  }
  throw new Error('nothing was thrown');
}
